import { isWorkrailError, type WorkrailError } from "@workrail/core";
import { type FoundTranscript, peekTranscript } from "@workrail/host-transcripts";
import type { ConfigurationSources } from "../config/read-configuration.ts";
import { hookPlaces } from "../hooks/hook-places.ts";
import { hookSettings } from "../hooks/hook-settings.ts";
import type { Workrail } from "../workrail.ts";
import { type ImportedSession, importTranscript, type TranscriptToImport } from "./import-transcript.ts";
import { isWithin, TranscriptPlaces } from "./transcript-place.ts";

/** The transcripts to import, and filters. */
export interface ImportTranscriptsOptions {
  /** Imported in this order. */
  readonly transcripts: readonly FoundTranscript[];
  /** Settings of the store: rules for secrets, and whether conversations are kept. */
  readonly sources: Pick<ConfigurationSources, "env" | "args">;
  /** Absolute path. Imports only sessions that began in this directory or below it. */
  readonly project?: string | undefined;
  /** Takes only sessions that changed after this time. */
  readonly since?: Date | undefined;
  /** Reports the import without doing it. Default `false`. */
  readonly dryRun?: boolean | undefined;
}

/** Reasons, other than failures, to leave a transcript out. */
export const LEFT_OUT = ["subagent", "other-project", "older", "empty", "erased"] as const;
/** A reason to leave a transcript out. */
export type LeftOutOfImport = (typeof LEFT_OUT)[number];

/** The result for one transcript. */
export type TranscriptOutcome = {
  readonly file: string;
  /** Number of transcripts read so far, including this one. */
  readonly done: number;
  readonly total: number;
} & (
  | ({ readonly status: "imported" } & ImportedSession)
  | { readonly status: "left-out"; readonly why: LeftOutOfImport }
  | { readonly status: "unknown"; readonly reason: string }
  | { readonly status: "failed"; readonly error: WorkrailError }
);

type Outcome = TranscriptOutcome extends infer Each ? (Each extends unknown ? Omit<Each, "file" | "done" | "total"> : never) : never;

/** Imports transcripts, as `importTranscripts` of the library describes. */
export async function* importTranscripts(
  store: Workrail,
  options: ImportTranscriptsOptions,
): AsyncGenerator<TranscriptOutcome, void, undefined> {
  const settings = hookSettings(options.sources.env, options.sources.args);
  const places = new TranscriptPlaces(hookPlaces(settings.dataDir));
  const total = options.transcripts.length;
  let done = 0;
  for (const transcript of options.transcripts) {
    done += 1;
    const outcome = await importOne(store, { ...options, transcript, settings, places });
    yield { file: transcript.file, done, total, ...outcome };
  }
}

type OneImport = Omit<ImportTranscriptsOptions, "transcripts"> &
  Pick<TranscriptToImport, "settings"> & { readonly transcript: FoundTranscript; readonly places: TranscriptPlaces };

async function importOne(store: Workrail, given: OneImport): Promise<Outcome> {
  try {
    return await tryOne(store, given);
  } catch (error) {
    if (isWorkrailError(error) && isOfOne(error, given.transcript)) return { status: "failed", error };
    throw error;
  }
}

/** Errors that concern one transcript only: the import continues with the next one. */
const OF_ONE = ["INVALID_INPUT", "TOO_LARGE", "SECRET_FOUND", "CONFLICT"];

function isOfOne({ code, details }: WorkrailError, { file }: FoundTranscript): boolean {
  return OF_ONE.includes(code) || (code === "STORAGE_UNAVAILABLE" && details["path"] === file);
}

async function tryOne(store: Workrail, { transcript, places, settings, project, since, dryRun = false }: OneImport): Promise<Outcome> {
  const { host } = transcript;
  if (host === "opencode") return { status: "unknown", reason: "opencode has no transcript files" };
  if (since !== undefined && transcript.modifiedAt < since) return { status: "left-out", why: "older" };
  const facts = await peekTranscript(host, transcript.file);
  if (facts === undefined) return { status: "unknown", reason: "the file is gone" };
  if (facts.isSubagent === true) return { status: "left-out", why: "subagent" };
  const { sessionId } = facts;
  if (sessionId === undefined) return { status: "unknown", reason: "its first lines name no session of the host" };
  if (project !== undefined && !isWithin(facts.cwd, project)) return { status: "left-out", why: "other-project" };
  const place = await places.of(facts);
  const imported = await importTranscript(store, {
    transcript: { ...transcript, host },
    facts: { ...facts, sessionId },
    place,
    settings,
    since,
    dryRun,
  });
  return typeof imported === "string" ? { status: "left-out", why: imported } : { status: "imported", ...imported };
}
