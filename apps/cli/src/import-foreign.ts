import { type ImportConflictPolicy, isWorkrailError } from "@workrail/core";
import type { ForeignPartSession } from "@workrail/foreign-memories";
import { exportForeignSession, type ImportFileResult, type Workrail } from "@workrail/runtime";
import type { ForeignSource } from "./foreign-sources.ts";
import { showingProgress, type Progress } from "./show-progress.ts";
import { type GlobalOptions, withStore } from "./with-store.ts";

/** A session of another program that was brought into the store. */
export interface ForeignImport extends ImportFileResult {
  /** The session's name in the other program. */
  readonly name?: string | undefined;
}

/** An item that was not imported. */
export interface SkippedInImport {
  readonly place: string;
  readonly reason: string;
}

/** The results of an import. The import adds to them while it runs. */
export interface ForeignImports {
  readonly imports: ForeignImport[];
  readonly skipped: SkippedInImport[];
}

interface ForeignImportOptions extends GlobalOptions {
  readonly onConflict: ImportConflictPolicy;
}

/** Errors that concern one session only: the import continues with the next one. */
const OF_ONE_SESSION = ["INVALID_INPUT", "TOO_LARGE", "SECRET_FOUND", "CONFLICT"];

interface ForeignRun {
  /** None: those that the source finds. */
  readonly paths: readonly string[];
  /** Receives the results, also when the import fails in the middle. */
  readonly done: ForeignImports;
}

/**
 * Imports the data of another program. A refused session is named, and the others are imported.
 *
 * @throws the first refusal, after everything else was imported; or the error that ended the import.
 */
export async function importForeign(source: ForeignSource, { paths, done }: ForeignRun, options: ForeignImportOptions): Promise<void> {
  const places = paths.length > 0 ? paths : await source.find();
  let refusal: unknown;
  await withStore(options, async (store) => {
    for (const place of places) {
      const refused = await showingProgress(lineOf, (tell) => importPlace(store, { source, place, options, done, tell }));
      refusal ??= refused;
    }
  });
  if (refusal !== undefined) throw refusal;
}

interface PlaceImport {
  readonly source: ForeignSource;
  readonly place: string;
  readonly options: ForeignImportOptions;
  readonly done: ForeignImports;
  readonly tell: ((progress: Progress) => void) | undefined;
}

/** The first refusal of a session, if there is one. */
async function importPlace(store: Workrail, { source, place, options, done, tell }: PlaceImport): Promise<unknown> {
  let refusal: unknown;
  for await (const part of source.read(place, options)) {
    if (part.kind === "skipped") {
      done.skipped.push({ place: part.place, reason: part.reason });
      continue;
    }
    try {
      done.imports.push({ file: place, ...(await importSession(store, part, options)) });
    } catch (error) {
      if (!isWorkrailError(error) || !OF_ONE_SESSION.includes(error.code)) throw error;
      done.skipped.push({ place: `${place}, session ${part.session.name ?? part.session.id}`, reason: `${error.code}: ${error.message}` });
      refusal ??= error;
    }
    tell?.(part);
  }
  return refusal;
}

async function importSession(
  store: Workrail,
  { session }: ForeignPartSession,
  { onConflict, dryRun }: ForeignImportOptions,
): Promise<Omit<ForeignImport, "file">> {
  const result = await store.importText(exportForeignSession(session), { onConflict, dryRun });
  return { ...(session.name === undefined ? {} : { name: session.name }), ...result };
}

function lineOf({ done, total }: Progress): string {
  return `Importing: ${done} of ${total}`;
}
