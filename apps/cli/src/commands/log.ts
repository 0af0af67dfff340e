import { escapeText } from "@workrail/process";
import type { TracedCheckpoint, TraceSessionResult } from "@workrail/runtime";
import type { Command } from "commander";
import { drawGraph } from "../draw-graph.ts";
import { formatAge } from "../format-age.ts";
import { formatBytes } from "../format-bytes.ts";
import { onlySession } from "../given-session.ts";
import { parseWhole } from "../parse-option.ts";
import { note, outputWidth, styled, writeData, writeJson } from "../print.ts";
import { idShortener } from "../shorten-ids.ts";
import { cutText, textWidth } from "../text-width.ts";
import { type GlobalOptions, lookIntoStore } from "../with-store.ts";

interface LogOptions extends GlobalOptions {
  readonly session?: string;
  readonly asides?: true;
  readonly limit?: number;
}

const EXAMPLES = `
Examples:
  workrail log my-task
  workrail log my-task --limit 5 --json
`;

/** `workrail log`: shows a session as the graph of its checkpoints. */
export function addLogCommand(program: Command): void {
  program
    .command("log")
    .summary("show the history of a session's checkpoints")
    .description("Shows the checkpoints of a session, newest first, as a graph of parents and forks.")
    .argument("[session]", "session to show")
    .option("--session <id>", "the same as [session]")
    .option("--asides", "include asides")
    .option("--limit <count>", "at most this many, newest first", parseWhole)
    .addHelpText("after", EXAMPLES)
    .action(async (session: string | undefined, _options: LogOptions, command: Command) => log(session, command.optsWithGlobals()));
}

async function log(word: string | undefined, options: LogOptions): Promise<void> {
  const sessionId = onlySession(word, options);
  const { asides, limit } = options;
  const traced = await lookIntoStore(options, (store) => store.traceSession({ sessionId, asides, limit }));
  if (options.json) return writeJson(traced);
  await writeData(forPeople(traced));
  const left = traced.total - traced.checkpoints.length;
  if (left > 0) note(`Older checkpoints that are not shown: ${left}.`);
}

function forPeople({ checkpoints, headId }: TraceSessionResult): string {
  const now = new Date();
  const rows = drawGraph(checkpoints);
  const shorten = idShortener(
    checkpoints.map(({ id }) => id),
    outputWidth(),
  );
  const lines = checkpoints.flatMap((checkpoint, index) => {
    const { joint, prefix = "" } = rows[index] ?? {};
    const line = fit(prefix, shorten(checkpoint.id), describe(checkpoint, checkpoint.id === headId, now));
    return joint === undefined ? [line] : [joint, line];
  });
  return lines.map((line) => `${line}\n`).join("");
}

/** Cuts the description of a checkpoint but never its id, which people copy. */
function fit(prefix: string, id: string, said: string): string {
  const room = outputWidth() - textWidth(`${prefix} ${id}  `);
  return `${prefix} ${styled("yellow", id, process.stdout)}  ${room > 0 ? cutText(said, room) : ""}`.trimEnd();
}

function describe(checkpoint: TracedCheckpoint, isHead: boolean, now: Date): string {
  const { createdAt, contextSizeBytes, kind, name, tags, phase, agentId, damaged, parentGone } = checkpoint;
  const marks = [
    ...(isHead ? ["latest"] : []),
    ...(kind === "workflow" ? [] : [kind]),
    ...(damaged === true ? ["damaged"] : []),
    ...(parentGone === true ? ["its parent was removed"] : []),
  ];
  const parts = [
    formatAge(new Date(createdAt), now),
    formatBytes(contextSizeBytes),
    ...(marks.length === 0 ? [] : [`(${marks.join(", ")})`]),
    ...(phase === undefined ? [] : [`end of ${phase}`]),
    ...(name === undefined ? [] : [name]),
    ...(tags === undefined ? [] : [`#${tags.join(" #")}`]),
    ...(agentId === undefined ? [] : [`by ${agentId}`]),
  ];
  return escapeText(parts.join("  "));
}
