import {
  type ChangePosition,
  type CheckpointId,
  type CheckpointVector,
  dotProduct,
  NearestFirst,
  type Neighbour,
  type PendingSession,
  type SessionId,
  type SpaceState,
  unitVector,
  type VectorEngine,
  type VectorNews,
  type VectorQuery,
  type VectorSpace,
  type VectorState,
} from "@workrail/core";

interface Held extends CheckpointVector {
  readonly sessionId: SessionId;
}

/** Vectors and pending sessions of one space. */
class Space {
  readonly name: string;
  readonly dimensions: number;
  readonly vectors = new Map<CheckpointId, Held>();
  readonly pending = new Map<SessionId, number>();
  position: ChangePosition | undefined;
  usedAt = new Date(0);

  constructor({ name, dimensions }: VectorSpace) {
    this.name = name;
    this.dimensions = dimensions;
  }
}

/** Vector engine in memory that compares vectors one by one. */
export class MemoryVectors implements VectorEngine {
  readonly #spaces = new Map<string, Space>();
  #versions = 0;

  async state(space: VectorSpace): Promise<VectorState> {
    const known = this.#find(space);
    return { position: known?.position, pending: known?.pending.size ?? 0, vectors: known?.vectors.size ?? 0 };
  }

  async spaces(): Promise<readonly SpaceState[]> {
    const known = [...this.#spaces.values()].toSorted((a, b) => b.usedAt.getTime() - a.usedAt.getTime());
    return known.map(({ name, dimensions, pending, vectors }) => ({ name, dimensions, pending: pending.size, vectors: vectors.size }));
  }

  async note(space: VectorSpace, { position, sessions, restart = false }: VectorNews, at: Date): Promise<void> {
    const known = this.#make(space);
    if (restart) known.pending.clear();
    known.position = position ?? (restart ? undefined : known.position);
    known.usedAt = at;
    for (const sessionId of sessions) known.pending.set(sessionId, (this.#versions += 1));
  }

  async pending(space: VectorSpace, limit: number): Promise<readonly PendingSession[]> {
    const pending = [...(this.#find(space)?.pending ?? [])].slice(0, limit);
    return pending.map(([sessionId, version]) => ({ sessionId, version }));
  }

  async settle(
    space: VectorSpace,
    { sessionId, version }: PendingSession,
    live: readonly CheckpointId[],
  ): Promise<readonly CheckpointId[]> {
    const isLive = new Set(live);
    for (const { vectors } of this.#spaces.values()) {
      for (const held of vectors.values()) {
        if (held.sessionId === sessionId && !isLive.has(held.checkpointId)) vectors.delete(held.checkpointId);
      }
    }
    const known = this.#find(space);
    const missing = live.filter((id) => known?.vectors.has(id) !== true);
    if (missing.length === 0 && known?.pending.get(sessionId) === version) known.pending.delete(sessionId);
    return missing;
  }

  async put(space: VectorSpace, sessionId: SessionId, vectors: readonly CheckpointVector[]): Promise<void> {
    const known = this.#make(space);
    for (const given of vectors) known.vectors.set(given.checkpointId, { ...given, sessionId, vector: unitVector(given.vector) });
  }

  async nearest(space: VectorSpace, { vector, limit, sessionId, project }: VectorQuery): Promise<readonly Neighbour[]> {
    const unit = unitVector(vector);
    const nearest = new NearestFirst(limit);
    for (const held of this.#find(space)?.vectors.values() ?? []) {
      if (sessionId !== undefined && held.sessionId !== sessionId) continue;
      if (project !== undefined && held.project !== project) continue;
      nearest.add({ checkpointId: held.checkpointId, similarity: dotProduct(unit, held.vector) });
    }
    return nearest.all();
  }

  async forget(checkpoints: readonly CheckpointId[]): Promise<void> {
    for (const { vectors } of this.#spaces.values()) for (const id of checkpoints) vectors.delete(id);
  }

  async retire(unusedSince: Date): Promise<void> {
    for (const [key, { usedAt }] of this.#spaces) if (usedAt < unusedSince) this.#spaces.delete(key);
  }

  async erase(): Promise<void> {
    this.#spaces.clear();
  }

  async close(): Promise<void> {}

  #find(space: VectorSpace): Space | undefined {
    return this.#spaces.get(keyOf(space));
  }

  #make(space: VectorSpace): Space {
    const known = this.#find(space) ?? new Space(space);
    this.#spaces.set(keyOf(space), known);
    return known;
  }
}

function keyOf({ name, dimensions }: VectorSpace): string {
  return `${dimensions} ${name}`;
}
