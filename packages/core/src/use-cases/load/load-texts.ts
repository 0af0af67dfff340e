import { type ErrorCode, isWorkrailError, type WorkrailError } from "../../errors.ts";
import type { CheckpointRecord } from "../../model/checkpoint.ts";
import { RecentJson } from "../../json/recent-json.ts";
import type { CheckpointId } from "../../model/ids.ts";
import type { JsonObject } from "../../model/context.ts";
import { ownerOf, recordTag, type SideRecord } from "../../model/side-record.ts";
import { ALL } from "../../catalog/reads.ts";
import type { CheckpointRow } from "../../catalog/rows.ts";
import { recordsIn } from "../save/append-records.ts";
import { checkpointNotFound, type LoadPorts, readOrThrow } from "./load-checkpoint.ts";
import type { ReadText } from "./read-context.ts";

/** A checkpoint's context as JSON text, byte for byte as saved. */
export interface LoadedText {
  readonly record: CheckpointRecord;
  readonly text: string;
  /** Its side records; none unless they were asked for. */
  readonly records: readonly SideRecord[];
}

export interface LoadedTexts {
  /** In the order of the ids, each once. */
  readonly loaded: readonly LoadedText[];
  /** Checkpoints that do not exist or cannot be read. */
  readonly failed: readonly { readonly id: CheckpointId; readonly error: WorkrailError }[];
}

/** Codes of errors that concern one checkpoint: the others can still be loaded. */
export const ERRORS_OF_ONE: ReadonlySet<ErrorCode> = new Set([
  "CHECKPOINT_NOT_FOUND",
  "CHECKPOINT_CORRUPT",
  "UNSUPPORTED_VERSION",
  "TOO_LARGE",
  "KEY_UNAVAILABLE",
]);

/**
 * Loads the texts of several checkpoints, and reads what they have in common once: the newest come first, because older ones are deltas
 * against newer ones. The read does not count as a use.
 *
 * @param withRecords true to load the side records as well. A checkpoint whose side records cannot be read is in `failed`.
 * @throws STORAGE_UNAVAILABLE
 */
export async function loadTexts(ports: LoadPorts, ids: readonly CheckpointId[], withRecords = false): Promise<LoadedTexts> {
  return ports.locking.shared(async () => {
    const { rows, sideRows } = await ports.catalog.read({
      rows: { of: "checkpoints", where: { state: "live", ids }, order: "newest", limit: ids.length },
      sideRows: {
        of: "checkpoints",
        where: { state: "live", kinds: ["aside"], ownTags: ids.map(recordTag) },
        order: "oldest",
        limit: withRecords ? ALL : 0,
      },
    });
    const soFar: ReadSoFar = { known: new Map(), recentJson: new RecentJson() };
    const results = new Map<CheckpointId, LoadedText | WorkrailError>();
    for (const { record } of rows) {
      const own = sideRows.filter((row) => ownerOf(row.record) === record.id);
      results.set(record.id, await loadText(ports, { record, sideRows: own }, soFar));
    }
    for (const id of ids) if (!results.has(id)) results.set(id, await checkpointNotFound(ports, id));
    const all = [...new Set(ids)].map((id) => ({ id, result: results.get(id) }));
    return {
      loaded: all.flatMap(({ result }) => (result === undefined || isWorkrailError(result) ? [] : [result])),
      failed: all.flatMap(({ id, result }) => (isWorkrailError(result) ? [{ id, error: result }] : [])),
    };
  });
}

interface ReadSoFar {
  readonly known: Map<CheckpointId, ReadText>;
  readonly recentJson: RecentJson;
}

async function loadText(
  ports: LoadPorts,
  { record, sideRows }: { readonly record: CheckpointRecord; readonly sideRows: readonly CheckpointRow[] },
  soFar: ReadSoFar,
): Promise<LoadedText | WorkrailError> {
  try {
    const read = await readOrThrow(ports, record, soFar);
    soFar.known.set(record.id, read);
    const contexts: JsonObject[] = [];
    for (const row of sideRows) contexts.push((await (await readOrThrow(ports, row.record)).value()) as JsonObject);
    return { record: read.record, text: read.contextText(), records: recordsIn(contexts) };
  } catch (error) {
    if (isWorkrailError(error) && ERRORS_OF_ONE.has(error.code)) return error;
    throw error;
  }
}
