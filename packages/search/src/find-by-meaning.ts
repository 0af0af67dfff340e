import {
  type CatalogPort,
  type CheckpointFilter,
  type CheckpointId,
  type CheckpointRecord,
  type Locking,
  matchesFilter,
  type Session,
  type VectorIndex,
  type VectorSpace,
  findHead,
  findSession,
  findCheckpoint,
} from "@workrail/core";
import { ownProjectThreshold, ownFirst } from "./own-first.ts";

export interface MeaningPorts {
  readonly catalog: CatalogPort;
  readonly locking: Locking;
  readonly vectors: VectorIndex;
}

export interface MeaningInput {
  readonly space: VectorSpace;
  /** Vector of the question. */
  readonly vector: Float32Array;
  readonly filter: CheckpointFilter;
  /** Checkpoints of this project come before others that are about as near. */
  readonly projectFirst?: string | undefined;
  /** Checkpoints to leave out, because they were found already. */
  readonly except: ReadonlySet<CheckpointId>;
  readonly limit: number;
}

export interface NearCheckpoint {
  readonly record: CheckpointRecord;
  /** Session of the checkpoint. */
  readonly session: Session | undefined;
  /** Head of the session; the checkpoint itself when there is none. */
  readonly head: CheckpointId;
  /** Cosine similarity of question and checkpoint; more than 0. */
  readonly similarity: number;
}

/** Most neighbours to examine when few of them meet the filter. */
const MOST_LOOKED_AT = 2_000;

/** Finds checkpoints of similar meaning, nearest first. Skips removed and damaged ones, and those that do not meet the filter. */
export async function findByMeaning(ports: MeaningPorts, input: MeaningInput): Promise<readonly NearCheckpoint[]> {
  const { filter, projectFirst, limit } = input;
  return ports.locking.shared(async () => {
    const found = await collect(ports, { ...input, least: 0 });
    if (projectFirst === undefined || filter.project !== undefined) return found;
    const last = found[limit - 1];
    // With fewer results than the limit, nothing was left out.
    if (last === undefined) return ownFirst(found, projectFirst, similarityOf);
    const own = await collect(ports, {
      ...input,
      filter: { ...filter, project: projectFirst },
      least: ownProjectThreshold(last.similarity),
    });
    return ownFirst([...found, ...own], projectFirst, similarityOf).slice(0, limit);
  });
}

function similarityOf({ similarity }: NearCheckpoint): number {
  return similarity;
}

/** @param input `least` is the smallest similarity. */
async function collect(ports: MeaningPorts, input: MeaningInput & { readonly least: number }): Promise<NearCheckpoint[]> {
  const { space, vector, filter, except, limit, least } = input;
  const { sessionId, project } = filter;
  const found: NearCheckpoint[] = [];
  const nearest = await ports.vectors.nearest(space, { vector, limit: MOST_LOOKED_AT, sessionId, project });
  for (const { checkpointId, similarity } of nearest) {
    if (found.length >= limit || similarity <= 0 || similarity < least) break;
    if (except.has(checkpointId)) continue;
    const record = await findCheckpoint(ports.catalog, checkpointId);
    if (record === undefined || record.damaged) continue;
    const session = await findSession(ports.catalog, record.sessionId);
    if (!matchesFilter(record, session?.tags ?? [], filter)) continue;
    const head = (await findHead(ports.catalog, record.sessionId))?.id ?? record.id;
    found.push({ record, session, head, similarity });
  }
  return found;
}
