import { readdirSync, type Stats, statSync } from "node:fs";
import { join } from "node:path";
import { IMPORT_CONFLICT_POLICIES, type ImportConflictPolicy, invalidInput, WorkrailError } from "@workrail/core";
import type { ImportProgress } from "@workrail/runtime";
import { type Command, Option } from "commander";
import { describeSecrets } from "../describe-secrets.ts";
import { describeTranscripts } from "../describe-transcripts.ts";
import { FOREIGN_SOURCES, type ForeignSource } from "../foreign-sources.ts";
import { type ForeignImport, type ForeignImports, importForeign } from "../import-foreign.ts";
import { importHost, noTranscripts, type TranscriptImportOptions, type TranscriptImports } from "../import-transcripts.ts";
import { parsePath, parseSince } from "../parse-option.ts";
import { note, writeData, writeJson } from "../print.ts";
import { showingProgress } from "../show-progress.ts";
import { isTranscriptSource, TRANSCRIPT_SOURCES, type TranscriptSource } from "../transcript-sources.ts";
import { withStore } from "../with-store.ts";

interface ImportOptions extends TranscriptImportOptions {
  readonly onConflict: ImportConflictPolicy;
}

const EXAMPLES = `
Examples:
  workrail import my-copy.json
  workrail import my-copy.json --on-conflict newer --dry-run
  workrail export my-task --output - | workrail import - --data-dir elsewhere
  workrail import server-memory memory.jsonl --dry-run
  workrail import basic-memory notes
  workrail import claude-code --since 30d --dry-run
  workrail import codex --project .

Sources:
${[...Object.entries(FOREIGN_SOURCES).map(([name, { summary }]) => [name, summary] as const), ...Object.entries(TRANSCRIPT_SOURCES)]
  .map(([name, summary]) => `  ${name.padEnd(17)}  ${summary}`)
  .join("\n")}
`;

const STDIN = "-";

/** `workrail import`: imports exported sessions, and prints the ids of the sessions. */
export function addImportCommand(program: Command): void {
  program
    .command("import")
    .summary("import exported sessions, or data of other programs")
    .description(
      "Imports sessions unchanged from files of `workrail export`. With the name of a source, imports the data of another program.",
    )
    .argument(
      "<files...>",
      "exported files, folders of them, or - for standard input; or a source, and its file or folder if not at the default place",
    )
    .addOption(
      new Option("--on-conflict <policy>", "for existing sessions: skip them, import under new ids, or keep the newer state")
        .choices(IMPORT_CONFLICT_POLICIES)
        .default("skip", "skip"),
    )
    .option("--project <dir>", "for transcripts: only sessions that began in this directory or below it", parsePath)
    .option("--since <when>", "for transcripts: only sessions that changed since, such as 30d or 2026-01-31", parseSince)
    .option("--dry-run", "only show the changes")
    .addHelpText("after", EXAMPLES)
    .action(async (files: readonly string[], _options: ImportOptions, command: Command) => {
      const options: ImportOptions = command.optsWithGlobals();
      const [name = "", ...paths] = files;
      // A file that is named like a source is given by its path, such as ./server-memory.
      const isGiven = command.getOptionValueSource("onConflict") !== "default";
      if (isTranscriptSource(name)) {
        if (!isGiven) return importFromHost(name, paths, options);
        throw invalidInput("onConflict", "Transcripts have no --on-conflict: the newer state is kept.", "Leave it out.");
      }
      if (options.since !== undefined) throw invalidInput("since", "--since works only for transcripts.", "Leave it out.");
      if (!Object.hasOwn(FOREIGN_SOURCES, name)) return importAll(files, options);
      // The other program keeps changing its data, so the newer state wins by default.
      return importFrom(name, paths, isGiven ? options : { ...options, onConflict: "newer" });
    });
}

async function importFrom(name: string, paths: readonly string[], options: ImportOptions): Promise<void> {
  const source = FOREIGN_SOURCES[name] as ForeignSource;
  const done: ForeignImports = { imports: [], skipped: [] };
  try {
    await importForeign(source, { paths, done }, options);
  } catch (error) {
    if (done.imports.length + done.skipped.length > 0) await report(done, options);
    throw error;
  }
  await report(done, options);
}

async function importFromHost(host: TranscriptSource, paths: readonly string[], options: ImportOptions): Promise<void> {
  const done = noTranscripts();
  const tellDone = (): Promise<void> => (options.json ? writeJson(done) : tellTranscripts(done));
  try {
    await importHost(host, { paths, done }, options);
  } catch (error) {
    if (done.imports.length + done.skipped.length > 0) await tellDone();
    throw error;
  }
  await tellDone();
}

async function tellTranscripts(done: TranscriptImports): Promise<void> {
  tellSkipped(done.skipped);
  for (const line of describeTranscripts(done)) note(line);
  const works = new Map(done.imports.toReversed().map(({ file, sessionId }) => [file, sessionId]));
  await writeData(
    [...works.values()]
      .toReversed()
      .map((sessionId) => `${sessionId}\n`)
      .join(""),
  );
}

function report(done: ForeignImports, { json }: ImportOptions): Promise<void> {
  return json ? writeJson(done) : tellForeign(done);
}

/** Most items that are printed. */
const MOST_TOLD = 20;

async function tellForeign({ imports, skipped }: ForeignImports): Promise<void> {
  tellSkipped(skipped);
  await tell(imports);
}

function tellSkipped(skipped: ForeignImports["skipped"]): void {
  for (const { place, reason } of skipped.slice(0, MOST_TOLD)) note(`Left out: ${place}: ${reason.replace(/\.$/u, "")}.`);
  if (skipped.length > MOST_TOLD) note(`Also left out: ${skipped.length - MOST_TOLD}. --json names them all.`);
}

async function importAll(given: readonly string[], options: ImportOptions): Promise<void> {
  const files = given.flatMap(within);
  const how = { onConflict: options.onConflict, dryRun: options.dryRun };
  const imports: ForeignImport[] = [];
  try {
    await withStore(options, async (store) => {
      for (const [index, file] of files.entries()) {
        const lineOf = lineFor(files.length === 1 ? "" : ` file ${index + 1} of ${files.length}`);
        const result =
          file === STDIN
            ? { file, ...(await store.importText(process.stdin, how)) }
            : await showingProgress(lineOf, (onProgress) => store.importFile(file, { ...how, onProgress }));
        imports.push(result);
      }
    });
  } finally {
    // Sessions before the failure are imported; report them to scripts.
    if (imports.length > 0) await (options.json ? writeJson({ imports }) : tell(imports));
  }
}

const PHASES = { prove: "Verifying", write: "Importing" } as const;

/** Returns the progress line of a file, in percent: the number of checkpoints is unknown before the file has been read. */
function lineFor(which: string): (progress: ImportProgress) => string {
  return ({ phase, done, total }) => `${PHASES[phase]}${which}: ${Math.floor((100 * done) / Math.max(total, 1))} %`;
}

/** Returns the exports in a folder; any other path is taken for a file. */
function within(path: string): readonly string[] {
  if (path === STDIN) return [path];
  if (statsOf(path)?.isDirectory() !== true) return [path];
  // Reading a pipe or a device in the folder could block forever.
  const isExport = (name: string): boolean =>
    name.endsWith(".json") && !name.startsWith(".") && statsOf(join(path, name))?.isFile() === true;
  const names = namesIn(path).filter(isExport);
  if (names.length === 0)
    throw new WorkrailError("INVALID_INPUT", `The folder ${path} contains no exports.`, { hint: "Names of exports end in .json." });
  return names.toSorted().map((name) => join(path, name));
}

/** `undefined` also when the system refuses the path: reading it as a file reports the reason. */
function statsOf(path: string): Stats | undefined {
  try {
    return statSync(path);
  } catch {
    return undefined;
  }
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    throw new WorkrailError("INVALID_INPUT", `The folder ${folder} cannot be read.`, {
      hint: "Give your user read access to it.",
      cause: error,
    });
  }
}

async function tell(imports: readonly ForeignImport[]): Promise<void> {
  for (const each of imports) {
    note(describe(each));
    for (const line of describeSecrets(each.secrets)) note(line);
  }
  await writeData(imports.map(({ sessionId }) => `${sessionId}\n`).join(""));
}

function describe({ file, name, dryRun, sessionId, exportedSessionId, added, present, leftOut, unreadable }: ForeignImport): string {
  const parts = [
    `${dryRun ? "to add" : "added"} ${added}`,
    ...(present === 0 ? [] : [`already present ${present}`]),
    ...(leftOut === 0 ? [] : [`left out ${leftOut}`]),
    ...(unreadable.length === 0 ? [] : [`unreadable when exported: ${unreadable.length}`]),
    ...(sessionId === exportedSessionId ? [] : [`instead of ${exportedSessionId}`]),
  ];
  const place = `${file === STDIN ? "Standard input" : file}${name === undefined ? "" : ` (${name})`}`;
  return `${place}: session ${sessionId}, checkpoints: ${parts.join(", ")}.`;
}
