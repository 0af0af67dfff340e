import type { JSX } from "preact";
import type { Activity } from "../data/activity.ts";
import { BarChart } from "./bar-chart.tsx";
import { number, plural, short } from "./format.ts";
import { Await, Empty } from "./parts.tsx";
import { useData, usePage } from "./use-data.ts";

const TONES = ["important", "useful", "critical", "ephemeral"];
/** Agents with a colour of their own; the others share the last one. */
const MOST_AGENTS = 3;

/** The saves by agent and day, and the tokens that resumes cost and spared. */
export function ActivityScreen(): JSX.Element {
  const { api, version } = usePage();
  const loaded = useData("activity", () => api.activity({}), version);
  return (
    <>
      <div class="pane-head">
        <a class="back" href="#/">
          Sessions
        </a>
        <h2>Activity</h2>
        <p class="faint">The last 30 days, all projects</p>
      </div>
      <div class="panel">
        <Await loaded={loaded}>{(activity) => <Charts activity={activity} />}</Await>
      </div>
    </>
  );
}

function Charts({ activity: { days, agents, savings } }: { readonly activity: Activity }): JSX.Element {
  if (agents.length === 0) return <Empty title="Nothing was saved in the last 30 days." />;
  const named = agents.slice(0, MOST_AGENTS);
  const others = agents.slice(MOST_AGENTS);
  const rest =
    others.length === 0
      ? []
      : [
          {
            agent: plural(others.length, "other"),
            saves: days.map((_, index) => others.reduce((sum, { saves }) => sum + (saves[index] ?? 0), 0)),
          },
        ];
  const series = [...named, ...rest].map(({ agent, saves }, index) => ({ name: agent, tone: TONES[index] ?? "ephemeral", values: saves }));
  return (
    <>
      <BarChart title="Saves by agent and day" labels={days} labelTitle="Day" series={series} unit={(count) => plural(count, "save")} />
      {savings === undefined ? null : (
        <section>
          <h3>Tokens saved by resumes</h3>
          {savings.resumes === 0 ? (
            <p class="faint">No hook resumed a session in this period.</p>
          ) : (
            <p>
              {plural(savings.resumes, "resume")} took about {short(savings.packTokens)} tokens instead of about{" "}
              {short(savings.transcriptTokens)} of the transcripts: {number(Math.max(0, savings.transcriptTokens - savings.packTokens))}{" "}
              fewer. These are estimates.
            </p>
          )}
        </section>
      )}
    </>
  );
}
