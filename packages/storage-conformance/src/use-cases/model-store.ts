import {
  canonicalJson,
  type CheckpointId,
  type CheckpointKind,
  type Context,
  KEEP_TAG,
  type SaveInput,
  type SessionId,
} from "@workrail/core";

/** A checkpoint in the model. */
export interface ModelCheckpoint {
  readonly id: CheckpointId;
  readonly sessionId: SessionId;
  readonly parentId: CheckpointId | null;
  readonly kind: CheckpointKind;
  /** The context's JSON. */
  readonly text: string;
  readonly canonical: string;
  readonly sequence: number;
  /** Number of the commit among the commits of all sessions. */
  readonly commit: number;
  readonly createdAt: number;
  /** True when the keep tag spares the checkpoint from pruning. */
  readonly isKept: boolean;
  /** Time when the last handle for the checkpoint expires. */
  readonly shieldedUntil: number | undefined;
}

/** A save of a whole context. */
export type WholeSave = SaveInput & { readonly context: Context };

/** Expected result of a save. */
export type Expected =
  | { readonly status: "saved"; readonly parentId: CheckpointId | null; readonly sequence: number }
  | { readonly status: "unchanged"; readonly id: CheckpointId }
  | { readonly status: "CONFLICT" | "CHECKPOINT_NOT_FOUND" };

/** Model of the whole product: the content that a store must have after any sequence of operations. */
export class ModelStore {
  readonly #maxCheckpoints: number;
  /** Live checkpoints in the order of their commits. */
  live: readonly ModelCheckpoint[] = [];
  trashed: readonly ModelCheckpoint[] = [];
  /** Checkpoints that were removed for good. While the file of one exists, a rebuild still uses it to order the others. */
  #removed: readonly ModelCheckpoint[] = [];
  /** Removed checkpoints of which nothing may be left. */
  erased: readonly ModelCheckpoint[] = [];
  readonly #lastSequence = new Map<SessionId, number>();
  readonly #labels = { pins: new Map<SessionId, readonly string[]>(), tags: new Map<SessionId, readonly string[]>() };
  #lastCommit = 0;

  constructor(maxCheckpoints: number) {
    this.#maxCheckpoints = maxCheckpoints;
  }

  /** Copies the model. */
  copy(): ModelStore {
    const copy = new ModelStore(this.#maxCheckpoints);
    copy.live = this.live;
    copy.trashed = this.trashed;
    copy.#removed = this.#removed;
    copy.erased = this.erased;
    copy.#lastCommit = this.#lastCommit;
    for (const [sessionId, sequence] of this.#lastSequence) copy.#lastSequence.set(sessionId, sequence);
    for (const labels of ["pins", "tags"] as const)
      for (const [sessionId, each] of this.#labels[labels]) copy.#labels[labels].set(sessionId, each);
    return copy;
  }

  /** Two models have equal fingerprints only when no operation can distinguish them. */
  fingerprint(): string {
    return JSON.stringify([this.live, this.trashed, [...this.#lastSequence], [...this.#labels.pins], [...this.#labels.tags]]);
  }

  find(id: CheckpointId): ModelCheckpoint | undefined {
    return this.live.find((each) => each.id === id);
  }

  head(sessionId: SessionId): ModelCheckpoint | undefined {
    return this.ofSession(sessionId).findLast(({ kind }) => kind !== "aside");
  }

  ofSession(sessionId: SessionId): readonly ModelCheckpoint[] {
    return this.live.filter((each) => each.sessionId === sessionId);
  }

  /** True when the catalog knows the session, because something was saved to it. */
  knows(sessionId: SessionId): boolean {
    return this.#lastSequence.has(sessionId);
  }

  lastSequence(sessionId: SessionId): number {
    return this.#lastSequence.get(sessionId) ?? 0;
  }

  pins(sessionId: SessionId): readonly string[] {
    return this.#labels.pins.get(sessionId) ?? [];
  }

  tags(sessionId: SessionId): readonly string[] {
    return this.#labels.tags.get(sessionId) ?? [];
  }

  expect(input: WholeSave): Expected {
    const text = JSON.stringify(input.context);
    const existing = input.checkpointId === undefined ? undefined : this.find(input.checkpointId);
    if (existing !== undefined)
      return same(existing, input.sessionId, text) ? { status: "unchanged", id: existing.id } : { status: "CONFLICT" };
    const head = this.head(input.sessionId);
    if (input.expectedParentId !== undefined && (head?.id ?? null) !== input.expectedParentId) {
      const isLostAnswer = head !== undefined && head.parentId === parentOrHead(input, input.expectedParentId) && head.text === text;
      return isLostAnswer ? { status: "unchanged", id: head.id } : { status: "CONFLICT" };
    }
    const maySkip = input.force !== true && (input.kind ?? "workflow") === "workflow";
    if (maySkip && head !== undefined && head.canonical === canonicalJson(input.context)) return { status: "unchanged", id: head.id };
    if (typeof input.parentId === "string" && this.find(input.parentId) === undefined) return { status: "CHECKPOINT_NOT_FOUND" };
    if (this.trashed.some(({ id }) => id === input.checkpointId)) return { status: "CONFLICT" };
    return { status: "saved", parentId: parentOrHead(input, head?.id ?? null), sequence: this.lastSequence(input.sessionId) + 1 };
  }

  save(input: WholeSave, made: { readonly id: CheckpointId; readonly createdAt: Date }, expected: Expected & { status: "saved" }): void {
    const { sessionId, kind = "workflow", context, tags = [] } = input;
    this.#lastCommit += 1;
    this.#lastSequence.set(sessionId, expected.sequence);
    const checkpoint: ModelCheckpoint = {
      id: made.id,
      createdAt: made.createdAt.getTime(),
      sessionId,
      kind,
      parentId: expected.parentId,
      sequence: expected.sequence,
      commit: this.#lastCommit,
      text: JSON.stringify(context),
      canonical: canonicalJson(context),
      isKept: tags.includes(KEEP_TAG),
      shieldedUntil: input.shieldUntil?.getTime(),
    };
    this.live = [...this.live, checkpoint];
    this.erased = this.erased.filter(({ id }) => id !== checkpoint.id);
    if (kind === "workflow") this.#prune(checkpoint);
  }

  pin(sessionId: SessionId, key: string, critical: boolean): void {
    this.#relabel("pins", { sessionId, label: key, isOn: critical });
  }

  tag(sessionId: SessionId, tag: string, isOn: boolean): void {
    if (this.knows(sessionId)) this.#relabel("tags", { sessionId, label: tag, isOn });
  }

  /** Shields a live checkpoint at least until a time. */
  shield(id: CheckpointId, until: Date): void {
    const held = (each: ModelCheckpoint): number => Math.max(each.shieldedUntil ?? 0, until.getTime());
    this.live = this.live.map((each) => (each.id === id ? { ...each, shieldedUntil: held(each) } : each));
  }

  /** Moves live checkpoints to the trash or removes them for good. Ignores other ids. */
  remove(ids: readonly CheckpointId[], to: "trash" | "nowhere"): void {
    const gone = this.live.filter(({ id }) => ids.includes(id));
    this.live = this.live.filter((each) => !gone.includes(each));
    if (to === "trash") this.trashed = [...this.trashed, ...gone];
    else this.#removed = [...this.#removed, ...gone];
  }

  /** Restores checkpoints from the trash to their old places or removes them for good. Ignores other ids. */
  takeFromTrash(ids: readonly CheckpointId[], to: "live" | "nowhere"): void {
    const taken = this.trashed.filter(({ id }) => ids.includes(id));
    this.trashed = this.trashed.filter((each) => !taken.includes(each));
    if (to === "live") this.live = [...this.live, ...taken].toSorted((one, other) => one.commit - other.commit);
    else this.#removed = [...this.#removed, ...taken];
  }

  /** Erases live checkpoints and checkpoints in the trash. Without `overwrites`, something of them may be left. */
  erase(ids: readonly CheckpointId[], overwrites = true): void {
    if (overwrites) this.erased = [...this.erased, ...[...this.live, ...this.trashed].filter(({ id }) => ids.includes(id))];
    this.remove(ids, "nowhere");
    this.takeFromTrash(ids, "nowhere");
  }

  /**
   * Forgets empty sessions without the keep tag, or not: a store may do either.
   *
   * @returns a model for each combination.
   */
  perhapsForgotten(sessions: readonly SessionId[]): readonly ModelStore[] {
    const isEmpty = (id: SessionId): boolean => ![...this.live, ...this.trashed].some(({ sessionId }) => sessionId === id);
    const empty = sessions.filter((id) => this.knows(id) && isEmpty(id) && !this.tags(id).includes(KEEP_TAG));
    return empty.reduce((models: readonly ModelStore[], id) => [...models, ...models.map((model) => model.#without(id))], [this]);
  }

  /**
   * Rebuilds the model: numbers start again from 1, parents first, then by time, then by id. An empty session may be forgotten,
   * because its removed checkpoints may have left no file.
   *
   * @param isThere returns true when the file of a removed checkpoint still exists.
   * @returns a model for each combination of forgotten sessions.
   */
  rebuilt(isThere: (removed: ModelCheckpoint) => boolean): readonly ModelStore[] {
    const kept = this.copy();
    kept.#removed = this.#removed.filter(isThere);
    kept.#renumber();
    return [...this.#lastSequence.keys()].reduce(
      (models: readonly ModelStore[], sessionId) => {
        if (kept.lastSequence(sessionId) > 0) return models;
        return [...models, ...models.map((model) => model.#without(sessionId))];
      },
      [kept],
    );
  }

  #without(sessionId: SessionId): ModelStore {
    const copy = this.copy();
    copy.#lastSequence.delete(sessionId);
    for (const labels of Object.values(copy.#labels)) labels.delete(sessionId);
    return copy;
  }

  #renumber(): void {
    const inTrash = new Set(this.trashed.map(({ id }) => id));
    for (const sessionId of this.#lastSequence.keys()) this.#lastSequence.set(sessionId, 0);
    this.#lastCommit = 0;
    const gone = new Set(this.#removed);
    const ordered = byLineage([...this.live, ...this.trashed, ...gone]).filter((each) => !gone.has(each));
    const numbered = ordered.map((each) => {
      const sequence = this.lastSequence(each.sessionId) + 1;
      this.#lastSequence.set(each.sessionId, sequence);
      this.#lastCommit += 1;
      return { ...each, sequence, commit: this.#lastCommit };
    });
    this.live = numbered.filter(({ id }) => !inTrash.has(id));
    this.trashed = numbered.filter(({ id }) => inTrash.has(id));
  }

  /** Forgets everything, as closing a store without persistence does. */
  forget(): void {
    [this.live, this.trashed, this.erased] = [[], [], []];
    this.#lastSequence.clear();
    for (const labels of Object.values(this.#labels)) labels.clear();
  }

  #prune(spared: ModelCheckpoint): void {
    if (this.tags(spared.sessionId).includes(KEEP_TAG)) return;
    const counted = this.ofSession(spared.sessionId).filter((each) => each.kind === "workflow");
    const free = counted.filter((each) => each !== spared && !each.isKept && (each.shieldedUntil ?? 0) <= spared.createdAt);
    const pruned = new Set(free.slice(0, Math.max(0, counted.length - this.#maxCheckpoints)));
    this.live = this.live.filter((each) => !pruned.has(each));
    this.#removed = [...this.#removed, ...pruned];
  }

  #relabel(
    labels: "pins" | "tags",
    { sessionId, label, isOn }: { readonly sessionId: SessionId; readonly label: string; readonly isOn: boolean },
  ): void {
    const before = this.#labels[labels].get(sessionId) ?? [];
    const others = before.filter((each) => each !== label);
    if (!isOn) this.#labels[labels].set(sessionId, others);
    else if (!before.includes(label)) this.#labels[labels].set(sessionId, [...others, label]);
  }
}

function byLineage(checkpoints: readonly ModelCheckpoint[]): readonly ModelCheckpoint[] {
  const ordered: ModelCheckpoint[] = [];
  let waiting = checkpoints.toSorted((one, other) => one.createdAt - other.createdAt || (one.id < other.id ? -1 : 1));
  while (waiting.length > 0) {
    const ids = new Set(waiting.map(({ id }) => id));
    const next = waiting.find(({ parentId }) => parentId === null || !ids.has(parentId)) ?? waiting[0];
    if (next === undefined) break;
    ordered.push(next);
    waiting = waiting.filter((each) => each !== next);
  }
  return ordered;
}

function same(existing: ModelCheckpoint, sessionId: SessionId, text: string): boolean {
  return existing.sessionId === sessionId && existing.text === text;
}

/** Returns the parent that a save names, which may be none; otherwise the given one. */
function parentOrHead({ parentId }: WholeSave, otherwise: CheckpointId | null): CheckpointId | null {
  return parentId === undefined ? otherwise : parentId;
}
