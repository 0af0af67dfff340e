import { canonicalJson, type CheckpointId, type CheckpointKind, type SaveInput, type SessionId } from "@workrail/core";

/** A checkpoint as the model remembers it. */
export interface ModelCheckpoint {
  readonly id: CheckpointId;
  readonly sessionId: SessionId;
  readonly parentId: CheckpointId | null;
  readonly kind: CheckpointKind;
  /** The context's JSON. */
  readonly text: string;
  readonly canonical: string;
  readonly sequence: number;
}

/** What a save must come to. */
export type Expected =
  | { readonly status: "saved"; readonly parentId: CheckpointId | null; readonly sequence: number }
  | { readonly status: "unchanged"; readonly id: CheckpointId }
  | { readonly status: "CONFLICT" | "CHECKPOINT_NOT_FOUND" };

/** The whole product in a few dozen lines: what a store must hold after any sequence of operations. */
export class ModelStore {
  readonly #maxCheckpoints: number;
  /** In the order of their commits. */
  live: readonly ModelCheckpoint[] = [];
  readonly #lastSequence = new Map<SessionId, number>();
  readonly #pins = new Map<SessionId, readonly string[]>();

  constructor(maxCheckpoints: number) {
    this.#maxCheckpoints = maxCheckpoints;
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

  pins(sessionId: SessionId): readonly string[] {
    return this.#pins.get(sessionId) ?? [];
  }

  expect(input: SaveInput): Expected {
    const text = JSON.stringify(input.context);
    const existing = input.checkpointId === undefined ? undefined : this.find(input.checkpointId);
    if (existing !== undefined)
      return same(existing, input.sessionId, text) ? { status: "unchanged", id: existing.id } : { status: "CONFLICT" };
    const head = this.head(input.sessionId);
    if (input.expectedParentId !== undefined && (head?.id ?? null) !== input.expectedParentId) {
      const isLostAnswer = head !== undefined && head.parentId === (input.parentId ?? input.expectedParentId) && head.text === text;
      return isLostAnswer ? { status: "unchanged", id: head.id } : { status: "CONFLICT" };
    }
    const maySkip = input.force !== true && (input.kind ?? "workflow") === "workflow";
    if (maySkip && head !== undefined && head.canonical === canonicalJson(input.context)) return { status: "unchanged", id: head.id };
    if (input.parentId !== undefined && this.find(input.parentId) === undefined) return { status: "CHECKPOINT_NOT_FOUND" };
    return {
      status: "saved",
      parentId: input.parentId ?? head?.id ?? null,
      sequence: (this.#lastSequence.get(input.sessionId) ?? 0) + 1,
    };
  }

  save(input: SaveInput, id: CheckpointId, { parentId, sequence }: Expected & { status: "saved" }): void {
    const { sessionId, kind = "workflow", context } = input;
    const checkpoint = { id, sessionId, parentId, kind, text: JSON.stringify(context), canonical: canonicalJson(context), sequence };
    this.#lastSequence.set(sessionId, sequence);
    this.live = [...this.live, checkpoint];
    if (kind !== "workflow") return;
    const counted = this.ofSession(sessionId).filter((each) => each.kind === "workflow");
    const pruned = new Set(counted.slice(0, Math.max(0, counted.length - this.#maxCheckpoints)));
    this.live = this.live.filter((each) => !pruned.has(each));
  }

  pin(sessionId: SessionId, key: string, critical: boolean): void {
    const others = this.pins(sessionId).filter((each) => each !== key);
    if (!critical) this.#pins.set(sessionId, others);
    else if (!this.pins(sessionId).includes(key)) this.#pins.set(sessionId, [...others, key]);
  }

  /** Numbers are given anew, from 1. */
  rebuild(): void {
    this.#lastSequence.clear();
    this.live = this.live.map((each) => {
      const sequence = (this.#lastSequence.get(each.sessionId) ?? 0) + 1;
      this.#lastSequence.set(each.sessionId, sequence);
      return { ...each, sequence };
    });
  }

  /** The catalog forgets everything when a store without persistence is closed. */
  forget(): void {
    this.live = [];
    this.#lastSequence.clear();
    this.#pins.clear();
  }
}

function same(existing: ModelCheckpoint, sessionId: SessionId, text: string): boolean {
  return existing.sessionId === sessionId && existing.text === text;
}
