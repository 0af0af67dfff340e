import { importTranscripts, type LeftOutOfImport, type TranscriptOutcome, type Workrail } from "@workrail/runtime";
import { resolve } from "node:path";
import type { ForeignImport, SkippedInImport } from "./import-foreign.ts";
import { settingArgs } from "./setting-options.ts";
import { type Progress, showingProgress } from "./show-progress.ts";
import { findTranscripts, type FoundTranscripts, type TranscriptSource } from "./transcript-sources.ts";
import { type GlobalOptions, withStore } from "./with-store.ts";

export interface TranscriptImportOptions extends GlobalOptions {
  /** Takes only sessions of this directory. */
  readonly project?: string;
  /** Takes only sessions that changed after this time. */
  readonly since?: Date;
}

/** A session that an import made from a transcript: the state of the work, or a part of the conversation. */
export interface TranscriptImport extends ForeignImport {
  /** The project that the session belongs to, if there is one. */
  readonly project?: string | undefined;
  /** ISO 8601: the first and the last event of the transcript. */
  readonly startedAt: string;
  readonly lastAt: string;
}

/** The results of an import of transcripts. The import adds to them while it runs. */
export interface TranscriptImports {
  readonly imports: TranscriptImport[];
  readonly skipped: SkippedInImport[];
  /** Transcripts that were left out, by the reason. */
  readonly leftOut: Record<LeftOutOfImport, number>;
}

export function noTranscripts(): TranscriptImports {
  return { imports: [], skipped: [], leftOut: { subagent: 0, "other-project": 0, older: 0, empty: 0, erased: 0 } };
}

interface TranscriptRun {
  /** None: those that the host has. */
  readonly paths: readonly string[];
  /** Receives the results, also when the import fails in the middle. */
  readonly done: TranscriptImports;
}

/**
 * Imports transcripts of a host. A transcript that is refused or cannot be read is named, and the others are imported.
 *
 * @throws the first refusal, after everything else was imported; or the error that ended the import.
 */
export async function importHost(host: TranscriptSource, { paths, done }: TranscriptRun, options: TranscriptImportOptions): Promise<void> {
  const found = await findTranscripts(host, paths);
  done.leftOut.subagent += found.subagents;
  for (const folder of found.unreadable) done.skipped.push({ place: folder, reason: "the folder cannot be read" });
  const refusal = await withStore(options, (store) =>
    showingProgress("Importing transcripts:", (tell) => importFound(store, { found, options, done, tell })),
  );
  if (refusal !== undefined) throw refusal;
}

interface FoundImport {
  readonly found: FoundTranscripts;
  readonly options: TranscriptImportOptions;
  readonly done: TranscriptImports;
  readonly tell: ((progress: Progress) => void) | undefined;
}

/** The first refusal of a transcript, if there is one. */
async function importFound(store: Workrail, { found, options, done, tell }: FoundImport): Promise<unknown> {
  const { project, since, dryRun } = options;
  const outcomes = importTranscripts(store, {
    transcripts: found.transcripts,
    sources: { env: process.env, args: settingArgs(options) },
    project: project === undefined ? undefined : resolve(project),
    since,
    dryRun,
  });
  let refusal: unknown;
  for await (const outcome of outcomes) {
    note(outcome, done);
    if (outcome.status === "failed") refusal ??= outcome.error;
    tell?.(outcome);
  }
  return refusal;
}

function note(outcome: TranscriptOutcome, { imports, skipped, leftOut }: TranscriptImports): void {
  const { file } = outcome;
  if (outcome.status === "left-out") leftOut[outcome.why] += 1;
  else if (outcome.status === "unknown") skipped.push({ place: file, reason: outcome.reason });
  else if (outcome.status === "failed") skipped.push({ place: file, reason: `${outcome.error.code}: ${outcome.error.message}` });
  else imports.push(...importsOf(outcome));
}

function importsOf({
  file,
  name,
  project,
  startedAt,
  lastAt,
  results,
}: TranscriptOutcome & { readonly status: "imported" }): TranscriptImport[] {
  return results.map((result) => ({
    file,
    ...(name === undefined ? {} : { name }),
    ...(project === undefined ? {} : { project }),
    startedAt: startedAt.toISOString(),
    lastAt: lastAt.toISOString(),
    ...result,
  }));
}
