import {
  type CheckpointId,
  type CheckpointRecord,
  eachRecord,
  type Embedder,
  type FindSecrets,
  isItsOwnFault,
  isUnreadableBlob,
  type Locking,
  type PendingSession,
  readContext,
  type ReadPorts,
  type VectorIndexing,
  type VectorSpace,
  type WorkrailError,
} from "@workrail/core";
import { linesOf, textsOf } from "./checkpoint-text.ts";
import { textToEmbed } from "./text-to-embed.ts";

export interface EmbedPorts extends ReadPorts {
  readonly locking: Locking;
  readonly vectors: VectorIndexing;
  readonly embedder: Embedder;
  /** Awaited between CPU-bound jobs, so that others can work in between. */
  readonly pause: () => Promise<void>;
  /** Finds the parts to remove from a text before it is sent. */
  readonly findSecrets: FindSecrets;
}

/** Checkpoints per embedding request. Their vectors are stored before the next request. */
const BATCH = 32;

/**
 * Brings the vectors of a session in line with its readable live checkpoints, except asides. Several processes may do so at the
 * same time; the work may be stopped at any moment, and repeated.
 *
 * @returns true when done; false when there is more to do: call again.
 * @throws the errors of the embedder; STORAGE_UNAVAILABLE. For an unreadable checkpoint, throws only when all others are done.
 */
export async function embedSession(ports: EmbedPorts, space: VectorSpace, session: PendingSession): Promise<boolean> {
  const { locking, vectors, embedder } = ports;
  const { missing, texts, failure } = await locking.shared(async () => {
    const live = await liveOf(ports, session);
    const lacking = new Set(
      await vectors.settle(
        space,
        session,
        live.map(({ id }) => id),
      ),
    );
    return batchOf(ports, live, lacking);
  });
  if (missing.length === 0 && failure !== undefined) throw failure;
  if (missing.length === 0) return true;
  // The store is not held during the request to the endpoint.
  const made = await embedder.embed(texts, "text");
  await vectors.put(
    space,
    session.sessionId,
    missing.map(({ id, project }, at) => ({ checkpointId: id, project, vector: made[at] as Float32Array })),
  );
  return false;
}

/** Returns the live checkpoints, oldest first. */
async function liveOf({ catalog }: EmbedPorts, { sessionId }: PendingSession): Promise<CheckpointRecord[]> {
  const live: CheckpointRecord[] = [];
  for await (const record of eachRecord(catalog, { sessionId })) if (!record.damaged) live.push(record);
  return live.toReversed();
}

interface Batch {
  readonly missing: readonly CheckpointRecord[];
  readonly texts: readonly string[];
  /** Reason why a checkpoint could not be read. This may pass; the checkpoint is embedded then. */
  readonly failure: WorkrailError | undefined;
}

async function batchOf(ports: EmbedPorts, live: readonly CheckpointRecord[], lacking: ReadonlySet<CheckpointId>): Promise<Batch> {
  const missing: CheckpointRecord[] = [];
  const texts: string[] = [];
  let failure: WorkrailError | undefined;
  let last: { readonly record: CheckpointRecord; readonly lines: readonly string[] } | undefined;
  for (const [at, record] of live.entries()) {
    if (missing.length === BATCH) break;
    if (!lacking.has(record.id)) continue;
    const previous = live[at - 1];
    const known = last !== undefined && last.record === previous ? last.lines : (await linesOfRecord(ports, previous)).lines;
    const read = await linesOfRecord(ports, record);
    failure ??= read.failure;
    if (read.failure !== undefined) continue;
    last = { record, lines: read.lines };
    missing.push(record);
    texts.push(textToEmbed({ name: record.name, lines: read.lines, known }, ports.findSecrets));
  }
  return { missing, texts, failure };
}

interface Lines {
  readonly lines: readonly string[];
  /** Present when the system could not read the checkpoint now. */
  readonly failure?: WorkrailError;
}

/** Returns no lines for a missing or damaged checkpoint, which is found by its name. */
async function linesOfRecord(ports: EmbedPorts, record: CheckpointRecord | undefined): Promise<Lines> {
  await ports.pause();
  if (record === undefined) return { lines: [] };
  try {
    return { lines: linesOf(textsOf(record, (await readContext(ports, record)).context)) };
  } catch (error) {
    if (!isItsOwnFault(error)) throw error;
    return isUnreadableBlob(error) ? { lines: [], failure: error } : { lines: [] };
  }
}
