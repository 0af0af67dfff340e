import { WorkrailError } from "@workrail/core";
import type { UnreadableInExport } from "@workrail/runtime";
import { escapeJson } from "@workrail/process";
import type { ExportAllResult, ExportResult } from "@workrail/runtime";
import { type Command, Option } from "commander";
import { EXIT_CODES } from "../exit-codes.ts";
import { formatBytes } from "../format-bytes.ts";
import { onlySession } from "../given-session.ts";
import { parsePath } from "../parse-option.ts";
import { note, writeData, writeJson } from "../print.ts";
import { showingProgress } from "../show-progress.ts";
import { unlessInterrupted } from "../until-interrupted.ts";
import { type GlobalOptions, lookIntoStore } from "../with-store.ts";

interface ExportOptions extends GlobalOptions {
  readonly session?: string;
  readonly all?: true;
  readonly output?: string;
}

const STDOUT = "-";
const PROGRESS = "Checkpoints written:";

const EXAMPLES = `
Examples:
  workrail export my-task
  workrail export my-task --output my-task.json
  workrail export --all --output exports
`;

/** `workrail export`: writes one session or all as readable JSON, and prints the names of the files. */
export function addExportCommand(program: Command): void {
  program
    .command("export")
    .summary("write a session to a JSON file")
    .description("Writes a session with all its checkpoints to a readable JSON file, which `workrail import` imports unchanged.")
    .argument("[session]", "session to export")
    .option("--session <id>", "the same as [session]")
    .addOption(new Option("--all", "export every session, each to its own file"))
    .option(
      "--output <path>",
      "new file, a folder to write into, or - for standard output; with --all a folder; default: exports in the data directory",
      parsePath,
    )
    .addHelpText("after", EXAMPLES)
    .action(async (session: string | undefined, _options: ExportOptions, command: Command) => exportTo(session, command.optsWithGlobals()));
}

async function exportTo(word: string | undefined, options: ExportOptions): Promise<void> {
  const isNamed = word !== undefined || options.session !== undefined;
  if (isNamed === (options.all === true)) throw wrongChoice();
  if (!isNamed) return exportAll(options);
  const session = onlySession(word, options);
  if (options.output === STDOUT) return print(session, options);
  const result = await unlessInterrupted((signal) =>
    lookIntoStore(options, (store) =>
      showingProgress(PROGRESS, (onProgress) => store.exportSession(session, { file: options.output, onProgress, signal })),
    ),
  );
  setExitCode(result.unreadable);
  await (options.json ? writeJson(result) : tell(result));
}

/** Escapes control characters of JSON for a terminal. The value stays the same. */
function shown(text: string): string {
  return process.stdout.isTTY ? escapeJson(text) : text;
}

/** Streams the text while the store is open: the whole text may not fit in memory. */
async function print(session: string, options: ExportOptions): Promise<void> {
  const unreadable: UnreadableInExport[] = [];
  await lookIntoStore(options, async (store) => {
    for await (const piece of store.exportText(session, { onUnreadable: (each) => unreadable.push(each) })) await writeData(shown(piece));
  });
  setExitCode(unreadable);
  noteUnreadable(session, unreadable);
}

async function exportAll(options: ExportOptions): Promise<void> {
  if (options.output === STDOUT) {
    throw new WorkrailError("INVALID_INPUT", "--all cannot write to standard output: each session is a file.", {
      hint: "Name a folder with --output, or one session.",
    });
  }
  const result = await unlessInterrupted((signal) =>
    lookIntoStore(options, (store) => showingProgress(PROGRESS, (onProgress) => store.exportAll(options.output, { onProgress, signal }))),
  );
  setExitCode(result.exports.flatMap(({ unreadable }) => unreadable));
  await (options.json ? writeJson(result) : tellAll(result));
}

/** Everything readable is exported; the exit code tells scripts that something is damaged. */
function setExitCode(unreadable: readonly UnreadableInExport[]): void {
  if (unreadable.length > 0) process.exitCode = EXIT_CODES.CHECKPOINT_CORRUPT;
}

function noteUnreadable(sessionId: string, unreadable: readonly UnreadableInExport[]): void {
  if (unreadable.length > 0) note(`Unreadable checkpoints of session ${sessionId}, exported without content: ${unreadable.length}.`);
  for (const { checkpointId, code } of unreadable) note(`  ${code}  ${checkpointId}`);
}

async function tell({ sessionId, file, sizeBytes, unreadable }: ExportResult): Promise<void> {
  note(`Exported session ${sessionId} to a file of ${formatBytes(sizeBytes)}.`);
  noteUnreadable(sessionId, unreadable);
  await writeData(`${file}\n`);
}

async function tellAll({ folder, exports }: ExportAllResult): Promise<void> {
  note(`Exported sessions: ${exports.length}, to ${folder}.`);
  for (const { sessionId, unreadable } of exports) noteUnreadable(sessionId, unreadable);
  await writeData(exports.map(({ file }) => `${file}\n`).join(""));
}

function wrongChoice(): WorkrailError {
  return new WorkrailError("INVALID_INPUT", "Name either a session or --all.", {
    hint: "`workrail sessions` lists the sessions of this project.",
  });
}
