import { LAYERS, WorkrailError } from "@workrail/core";
import { escapeText } from "@workrail/process";
import type {
  CompareCheckpointsParams,
  CompareCheckpointsResult,
  ComparedMetadata,
  LayerShift,
  ResolvedCheckpoint,
  TracedCheckpoint,
  Workrail,
} from "@workrail/runtime";
import type { Command } from "commander";
import { noteFallback, type PassedOver } from "../note-fallback.ts";
import { outputWidth, styled, writeData, writeJson } from "../print.ts";
import { renderTable } from "../render-table.ts";
import { type GlobalOptions, lookIntoStore } from "../with-store.ts";

interface DiffOptions extends GlobalOptions {
  readonly session?: string;
}

const EXAMPLES = `
Examples:
  workrail diff before-refactoring
  workrail diff --session my-task --json
`;

/** `workrail diff`: shows the changes from one checkpoint to another. */
export function addDiffCommand(program: Command): void {
  program
    .command("diff")
    .summary("show the differences between two checkpoints")
    .description("Shows what changed from one checkpoint to another, entry by entry, with the tokens and the layer of each.")
    .argument("[from]", "older checkpoint: id, id prefix or latest~2")
    .argument("[to]", "newer checkpoint; default: the latest of the same session")
    .option("--session <id>", "compare the latest checkpoint of this session with its parent")
    .addHelpText("after", EXAMPLES)
    .action(async function (from: string | undefined, to: string | undefined) {
      return diff({ from, to }, this.optsWithGlobals());
    });
}

interface Named {
  readonly from: string | undefined;
  readonly to: string | undefined;
}

async function diff(named: Named, options: DiffOptions): Promise<void> {
  if ((named.from === undefined) === (options.session === undefined)) throw wrongChoice();
  const compared = await lookIntoStore(options, async (store) => store.compareCheckpoints(await chosen(store, named, options)));
  if (options.json) return writeJson(compared);
  await writeData(await forPeople(compared));
}

async function chosen(store: Workrail, { from, to }: Named, options: DiffOptions): Promise<CompareCheckpointsParams> {
  const [older, newer] = [await meant(store, from), await meant(store, to)];
  if (older !== undefined && newer !== undefined) return { fromId: older.checkpointId, toId: newer.checkpointId };
  const sessionId = options.session ?? (older as ResolvedCheckpoint).sessionId;
  const { headId, checkpoints } = await store.traceSession({ sessionId });
  const fromId = older?.checkpointId ?? checkpoints.find(({ id }) => id === headId)?.parentId ?? undefined;
  if (fromId !== undefined && headId !== undefined) {
    noteFallback(headId, newerThan(headId, checkpoints), options.json === true);
    return { fromId, toId: headId };
  }
  throw new WorkrailError("INVALID_INPUT", `The latest checkpoint of session ${sessionId} has no parent.`, {
    details: { sessionId },
    hint: "Name two checkpoints; `workrail log` shows them.",
  });
}

async function meant(store: Workrail, reference: string | undefined): Promise<ResolvedCheckpoint | undefined> {
  return reference === undefined ? undefined : store.resolveCheckpoint(reference);
}

/** Returns the damaged checkpoints that are newer than the latest readable one. */
function newerThan(headId: string, checkpoints: readonly TracedCheckpoint[]): readonly PassedOver[] | undefined {
  const head = checkpoints.findIndex(({ id }) => id === headId);
  const damaged = checkpoints
    .filter((each, index) => index < head && each.damaged === true)
    .map(({ id }) => ({ checkpointId: id, reason: "It is damaged." }));
  return damaged.length === 0 ? undefined : damaged;
}

/** Loads the library that compares lines and words only here: only output for people needs it. */
async function forPeople(compared: CompareCheckpointsResult): Promise<string> {
  const { describeChange, signed } = await import("../describe-changes.ts");
  const { from, to, entries, unchanged, isReordered, layers } = compared;
  const shifts = LAYERS.flatMap((layer) => (layers[layer] === undefined ? [] : [{ layer, ...layers[layer] }]));
  const { header, lines } = renderTable<LayerShift & { readonly layer: string }>(
    [
      { title: "LAYER", cell: ({ layer }) => layer },
      { title: "ENTRIES", align: "right", cell: (shift) => moved(shift.from.entries, shift.to.entries) },
      { title: "TOKENS", align: "right", cell: (shift) => moved(shift.from.tokens, shift.to.tokens) },
    ],
    shifts,
    outputWidth(),
  );
  const parts = [
    `from  ${sideOf(from)}`,
    `to    ${sideOf(to)} (${signed(to.tokens - from.tokens)})`,
    "",
    ...entries.flatMap((entry) => [...describeChange(entry), ""]),
    `Unchanged: ${unchanged}.${isReordered ? " The order of the entries differs." : ""}`,
    "",
    styled("bold", header, process.stdout),
    ...lines,
  ];
  return `${parts.join("\n")}\n`;
}

function sideOf({ id, createdAt, name, tokens }: ComparedMetadata): string {
  return escapeText(`${id}  ${createdAt}${name === undefined ? "" : `  ${name}`}  ${tokens.toLocaleString("en-US")} tokens`);
}

function moved(from: number, to: number): string {
  const [before, after] = [from.toLocaleString("en-US"), to.toLocaleString("en-US")];
  return from === to ? after : `${before} -> ${after}`;
}

function wrongChoice(): WorkrailError {
  return new WorkrailError("INVALID_INPUT", "Name one or two checkpoints, or a session.", {
    hint: "`workrail log` shows the checkpoints of a session.",
  });
}
