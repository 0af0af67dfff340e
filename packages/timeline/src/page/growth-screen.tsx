import type { JSX } from "preact";
import type { ContextEntry } from "../data/context.ts";
import type { Timeline } from "../data/timeline.ts";
import { BarChart } from "./bar-chart.tsx";
import { bytes, number, signed } from "./format.ts";
import { LAYER_NAMES, LayerTag } from "./layers.tsx";
import { Await } from "./parts.tsx";
import { hrefOf } from "./route.ts";
import { SafeText } from "./safe-text.tsx";
import { type Loaded, useData, usePage } from "./use-data.ts";

/** Checkpoints in a chart: more would be thinner than a line. */
const MOST = 200;
const BATCH = 50;

const MOST_ENTRIES = 10;

interface GrownEntry {
  readonly entry: ContextEntry;
  /** Tokens in the oldest checkpoint shown. */
  readonly before: number;
}

interface LargestEntriesProps {
  readonly entries: readonly GrownEntry[];
  /** Sequence numbers of the checkpoints that are compared. */
  readonly from: number | undefined;
  readonly to: number | undefined;
}

/** The entries that make up most of the latest state, by name. */
function LargestEntries({ entries, from, to }: LargestEntriesProps): JSX.Element | null {
  if (entries.length === 0) return null;
  return (
    <section>
      <h3>Largest entries of #{to}</h3>
      <table>
        <thead>
          <tr>
            <th scope="col">Entry</th>
            <th scope="col" class="words">
              Layer
            </th>
            <th scope="col">Tokens</th>
            <th scope="col">Since #{from}</th>
          </tr>
        </thead>
        <tbody>
          {entries.map(({ entry: { key, layer, tokens }, before }) => (
            <tr key={key}>
              <th scope="row">
                <SafeText text={key} />
              </th>
              <td class="words">
                <LayerTag layer={layer} />
              </td>
              <td>{number(tokens)}</td>
              <td>{signed(tokens - before)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

/** The growth of a session: tokens and stored bytes of each checkpoint. */
export function GrowthScreen({ timeline }: { readonly timeline: Loaded<Timeline> }): JSX.Element {
  return <Await loaded={timeline}>{(found) => <Growth timeline={found} />}</Await>;
}

function Growth({ timeline: { session, rows, total } }: { readonly timeline: Timeline }): JSX.Element {
  const { api } = usePage();
  const shown = rows.slice(0, MOST).toReversed();
  const loaded = useData(`growth ${shown.map(({ id }) => id).join(" ")}`, async () => {
    const sizes = [];
    for (let at = 0; at < shown.length; at += BATCH)
      sizes.push(...(await api.sizes({ ids: shown.slice(at, at + BATCH).map(({ id }) => id) })));
    return sizes;
  });
  const readable = shown.filter(({ isDamaged }) => isDamaged !== true);
  const [newest, oldest] = [readable.at(-1), readable[0]];
  const entries = useData(`growth of ${oldest?.id} ${newest?.id}`, async (): Promise<readonly GrownEntry[]> => {
    if (newest === undefined || oldest === undefined) return [];
    const before = (await api.context({ checkpointId: oldest.id })).entries;
    const now = (await api.context({ checkpointId: newest.id })).entries;
    return now
      .toSorted((one, other) => other.tokens - one.tokens)
      .slice(0, MOST_ENTRIES)
      .map((entry) => ({ entry, before: before.find(({ key }) => key === entry.key)?.tokens ?? 0 }));
  });
  const labels = shown.map(({ sequence }) => `#${sequence}`);
  return (
    <>
      <div class="pane-head">
        <a class="back" href={hrefOf({ sessionId: session.id })}>
          Timeline
        </a>
        <h2>
          Growth of <SafeText text={session.name ?? session.id} />
        </h2>
        {total > shown.length ? (
          <p class="faint">
            The newest {number(shown.length)} of {number(total)} checkpoints
          </p>
        ) : null}
      </div>
      <div class="panel">
        <Await loaded={loaded}>
          {(sizes) => (
            <BarChart
              title="Tokens of each checkpoint"
              labels={labels}
              labelTitle="Checkpoint"
              unit={(tokens) => `${number(tokens)} tokens`}
              series={LAYER_NAMES.map((layer) => ({
                name: layer,
                tone: layer.toLowerCase(),
                values: sizes.map(({ layers }) => layers[layer]?.tokens ?? 0),
              }))}
            />
          )}
        </Await>
        <Await loaded={entries}>{(grown) => <LargestEntries entries={grown} from={oldest?.sequence} to={newest?.sequence} />}</Await>
        <BarChart
          title="Stored bytes of each checkpoint"
          labels={labels}
          labelTitle="Checkpoint"
          unit={bytes}
          series={[{ name: "Bytes", tone: "important", values: shown.map((row) => row.bytes) }]}
        />
        <p class="faint">Older checkpoints are stored as differences from newer ones, which takes less space.</p>
      </div>
    </>
  );
}
