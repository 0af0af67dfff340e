import fs from "node:fs";
import path from "node:path";
import { isDeepStrictEqual } from "node:util";
import { temporaryPlace } from "@workrail/blob-files";
import { isWorkrailError, runFinally } from "@workrail/core";
import type { Environment } from "../config/default-data-dir.ts";
import { silentLog } from "../environment.ts";
import type { OpenOptions } from "../open-options.ts";
import { openWorkrail } from "../open-workrail.ts";
import type { Workrail } from "../workrail.ts";
import { nearestDirectory } from "./check-place.ts";
import type { DoctorCheck, DoctorFinding } from "./finding.ts";

/** Keys, texts and numbers that are easily altered in a round trip. */
const CONTEXT = {
  goal: "come back exactly",
  odd: ["\u0000", "\ud83e", "味噌", "a/b~c"],
  numbers: [0, -1.5e-7, 2 ** 53],
  12: "twelve",
  empty: {},
};
const ROUND_TRIP = ".tmp-doctor-";

/** Checks that the store opens, and reports its status. Never creates a missing store. */
export async function checkDatabase(dataDir: string, options: OpenOptions): Promise<DoctorFinding> {
  const check = "database";
  const isDatabase = options.store !== undefined;
  const hasStore = isDatabase || ["workrail.db", "catalog.jsonl", "contexts"].some((name) => fs.existsSync(path.join(dataDir, name)));
  if (!hasStore) return { check, status: "ok", message: "There is no store yet: the first save creates it." };
  try {
    const noted: string[] = [];
    const warn = (text: string): void => void noted.push(`${text.slice(0, 1).toUpperCase()}${text.slice(1)}.`);
    const log = { ...silentLog, warn, error: warn };
    const opening = {
      ...options,
      ...(isDatabase ? {} : { dataDir }),
      fallback: "fail",
      adapters: { log },
      upkeep: false,
      takeIncoming: false,
    } as const;
    const { mode, sessions, checkpoints, search, warnings: told } = await inStore(opening, (store) => store.storeStatus());
    const warnings = [...noted, ...told];
    const indexed = search === undefined ? "" : `, ${search.sessions} of which are indexed for search`;
    const message = `The store opens (${mode}) and holds ${checkpoints} checkpoints in ${sessions} sessions${indexed}.`;
    if (warnings.length === 0) return { check, status: "ok", message };
    return {
      check,
      status: "warning",
      message: [message, ...warnings].join(" "),
      hint: "`workrail status` shows details, `workrail verify` reads all files.",
    };
  } catch (error) {
    return failure(check, error, "`workrail verify` reports the damage, `workrail repair` fixes what can be fixed.");
  }
}

/**
 * Saves a context, reopens the store and loads the context, in a temporary store beside the data that is removed afterwards.
 *
 * @param env settings of the temporary store; those of the user could make it create a key.
 * @param readOnly nothing may be created in the data directory: uses the system's temporary directory.
 */
export async function checkRoundTrip(dataDir: string, env: Environment, readOnly: boolean): Promise<DoctorFinding> {
  const check = "round-trip";
  const parent = nearestDirectory(dataDir) === dataDir && !readOnly ? dataDir : temporaryPlace();
  let place: string | undefined;
  try {
    if (parent === undefined) throw new Error("No directory for temporary files is safe from other users.");
    place = fs.mkdtempSync(path.join(parent, ROUND_TRIP));
    const started = performance.now();
    const open = { env, dataDir: place, fallback: "fail", project: null, upkeep: false } as const;
    const { checkpointId } = await inStore(open, (store) => store.saveCheckpoint({ sessionId: "doctor", context: CONTEXT }));
    const { context } = await inStore(open, (store) => store.loadCheckpoint({ checkpointId }));
    if (!isDeepStrictEqual(context, CONTEXT)) throw new Error("The loaded context differs from the saved one.");
    const took = Math.round(performance.now() - started);
    return { check, status: "ok", message: `A context was saved and came back exactly, in ${took} ms.` };
  } catch (error) {
    return failure(check, error, "See the results of the other checks.");
  } finally {
    if (place !== undefined) fs.rmSync(place, { recursive: true, force: true, maxRetries: 3 });
  }
}

async function inStore<T>(options: OpenOptions, work: (store: Workrail) => Promise<T>): Promise<T> {
  const store = await openWorkrail(options);
  return runFinally(
    () => work(store),
    () => store.close(),
  );
}

/** Converts an error into a finding. */
export function failure(check: DoctorCheck, error: unknown, otherwise: string): DoctorFinding {
  if (isWorkrailError(error)) return { check, status: "error", code: error.code, message: error.message, hint: error.hint ?? otherwise };
  return {
    check,
    status: "error",
    code: "STORAGE_UNAVAILABLE",
    message: error instanceof Error ? error.message : String(error),
    hint: otherwise,
  };
}
