import type { WorkrailError } from "../errors.ts";
import type { CheckpointRecord } from "../model/checkpoint.ts";
import type { CheckpointId } from "../model/ids.ts";
import type { Embedder } from "../ports/embedder.ts";
import type { Locking } from "../ports/locking.ts";
import type { PendingSession, VectorIndexing, VectorSpace } from "../ports/vector-index.ts";
import type { FindSecrets } from "../secrets/redact.ts";
import { linesOf, textsOf } from "../search/checkpoint-text.ts";
import { textToEmbed } from "../search/text-to-embed.ts";
import { isItsOwnFault, isUnreadableBlob } from "./get-blob.ts";
import { readContext, type ReadPorts } from "./read-context.ts";
import { eachRecord } from "./view-store.ts";

export interface EmbedPorts extends ReadPorts {
  readonly locking: Locking;
  readonly vectors: VectorIndexing;
  readonly embedder: Embedder;
  /** Awaited between the pieces of work that keep the processor busy, so that others come in between. */
  readonly pause: () => Promise<void>;
  /** Finds what is taken out of a text before it is sent. Default: secrets, and no personal data. */
  readonly findSecrets?: FindSecrets | undefined;
}

/** Checkpoints embedded at once: as many as go into one request. What was embedded is held before the next are. */
const BATCH = 32;

/**
 * Has the vectors of a session be those of its live checkpoints that can be read, asides apart, and no others. May be done by
 * several at the same time, may be stopped at any moment, and may be repeated.
 *
 * @returns whether it is done; else there is more to do: call it again.
 * @throws what the embedder rejects with, and STORAGE_UNAVAILABLE: of a checkpoint that the system cannot read only when all others are done.
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
  // Nobody is kept out of the store while the endpoint thinks.
  const made = await embedder.embed(texts, "text");
  await vectors.put(
    space,
    session.sessionId,
    missing.map(({ id, project }, at) => ({ checkpointId: id, project, vector: made[at] as Float32Array })),
  );
  return false;
}

/** Oldest first. */
async function liveOf({ catalog }: EmbedPorts, { sessionId }: PendingSession): Promise<CheckpointRecord[]> {
  const live: CheckpointRecord[] = [];
  for await (const record of eachRecord(catalog, { sessionId })) if (!record.damaged) live.push(record);
  return live.toReversed();
}

interface Batch {
  readonly missing: readonly CheckpointRecord[];
  readonly texts: readonly string[];
  /** Why one of them could not be read. That may pass: it is embedded then. */
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
    texts.push(textToEmbed(record.name, read.lines, known, ports.findSecrets));
  }
  return { missing, texts, failure };
}

interface Lines {
  readonly lines: readonly string[];
  /** The system could not read it now. */
  readonly failure?: WorkrailError;
}

/** None of one that is not there or is damaged: that is found by its name. */
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
