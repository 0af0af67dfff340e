import { type ErrorCode, isWorkrailError, type WorkrailError } from "../../errors.ts";
import type { CheckpointRecord } from "../../model/checkpoint.ts";
import type { CheckpointId } from "../../model/ids.ts";
import { checkpointNotFound, type LoadPorts, readOrBlame } from "./load-checkpoint.ts";
import type { ReadText } from "./read-context.ts";

/** A checkpoint's context as JSON text, byte for byte as saved. */
export interface LoadedText {
  readonly record: CheckpointRecord;
  readonly text: string;
}

export interface LoadedTexts {
  /** In the order of the ids, each once. */
  readonly loaded: readonly LoadedText[];
  /** Checkpoints that do not exist or cannot be read. */
  readonly failed: readonly { readonly id: CheckpointId; readonly error: WorkrailError }[];
}

/** Errors of one checkpoint, which the others do not share. */
export const ERRORS_OF_ONE: ReadonlySet<ErrorCode> = new Set([
  "CHECKPOINT_NOT_FOUND",
  "CHECKPOINT_CORRUPT",
  "UNSUPPORTED_VERSION",
  "TOO_LARGE",
  "KEY_UNAVAILABLE",
]);

/**
 * Loads the texts of several checkpoints, and reads what they have in common once: the newest come first, because older ones are deltas
 * against newer ones. Does not count as a use.
 *
 * @throws STORAGE_UNAVAILABLE
 */
export async function loadTexts(ports: LoadPorts, ids: readonly CheckpointId[]): Promise<LoadedTexts> {
  return ports.locking.shared(async () => {
    const { rows } = await ports.catalog.read({
      rows: { of: "checkpoints", where: { state: "live", ids }, order: "newest", limit: ids.length },
    });
    const known = new Map<CheckpointId, ReadText>();
    const results = new Map<CheckpointId, LoadedText | WorkrailError>();
    for (const { record } of rows) results.set(record.id, await textOf(ports, record, known));
    for (const id of ids) if (!results.has(id)) results.set(id, await checkpointNotFound(ports, id));
    const all = [...new Set(ids)].map((id) => ({ id, result: results.get(id) }));
    return {
      loaded: all.flatMap(({ result }) => (result === undefined || isWorkrailError(result) ? [] : [result])),
      failed: all.flatMap(({ id, result }) => (isWorkrailError(result) ? [{ id, error: result }] : [])),
    };
  });
}

async function textOf(ports: LoadPorts, record: CheckpointRecord, known: Map<CheckpointId, ReadText>): Promise<LoadedText | WorkrailError> {
  try {
    const read = await readOrBlame(ports, record, known);
    known.set(record.id, read);
    return { record: read.record, text: read.contextText() };
  } catch (error) {
    if (isWorkrailError(error) && ERRORS_OF_ONE.has(error.code)) return error;
    throw error;
  }
}
