import type { JSX } from "preact";
import type { Timeline } from "../data/timeline.ts";
import { BarChart } from "./bar-chart.tsx";
import { bytes, number } from "./format.ts";
import { LAYER_NAMES } from "./layers.tsx";
import { Await } from "./parts.tsx";
import { hrefOf } from "./route.ts";
import { SafeText } from "./safe-text.tsx";
import { type Loaded, useData, usePage } from "./use-data.ts";

/** Checkpoints in a chart: more would be thinner than a line. */
const MOST = 200;
const BATCH = 50;

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
        <BarChart
          title="Stored bytes of each checkpoint"
          labels={labels}
          labelTitle="Checkpoint"
          unit={bytes}
          series={[{ name: "Bytes", tone: "important", values: shown.map((row) => row.bytes) }]}
        />
        <p class="faint">Older checkpoints are stored as differences from newer ones, so they take less.</p>
      </div>
    </>
  );
}
