import {
  type AuditEvent,
  type BlobRef,
  type ChainedStorage,
  chained,
  type CheckpointId,
  commit,
  decided,
  EVERYTHING,
  type Facts,
  MemoryTables,
  type NewRow,
  type Reads,
  removeBlobs,
  type RowChange,
  type Rule,
  type SessionFacts,
  type SessionId,
  verifyAudit,
} from "@workrail/core";
import { expect } from "vitest";
import { sha256 } from "../environment.ts";
import type { StorageHarness } from "../harness.ts";
import { expectAnswer } from "./prove-answer.ts";

/**
 * A store, and core's rows in memory that take the same changes. Every fact that the store gives to a rule, every answer and
 * every outcome must equal those of the rows in memory.
 */
export class Twin {
  readonly #harness: StorageHarness;
  readonly #place: string;
  #storage: ChainedStorage;
  #tables: MemoryTables;
  #facts = new Map<SessionId, SessionFacts>();
  readonly #blobs = new Set<BlobRef>();
  readonly #others: ChainedStorage[] = [];

  private constructor(harness: StorageHarness, place: string, storage: ChainedStorage) {
    this.#harness = harness;
    this.#place = place;
    this.#storage = storage;
    this.#tables = this.#emptyTables();
  }

  /** Creates a store with one audit row: a catalog that never held anything counts as lost once there are blobs. */
  static async create(harness: StorageHarness): Promise<Twin> {
    const place = await harness.create();
    const twin = new Twin(harness, place, await opened(harness, place));
    await twin.change(commit({ audit: [eventAt(new Date(0))] }));
    return twin;
  }

  /** Runs a test on a fresh store. */
  static async with<T>(harness: StorageHarness, test: (twin: Twin) => Promise<T>): Promise<T> {
    const twin = await Twin.create(harness);
    try {
      return await test(twin);
    } finally {
      await twin.destroy();
    }
  }

  /** The store alone: a change of it is not followed by the rows in memory. */
  get storage(): ChainedStorage {
    return this.#storage;
  }

  /** Opens the store once more, beside the other openers. */
  async openAnother(): Promise<ChainedStorage> {
    const another = await opened(this.#harness, this.#place);
    this.#others.push(another);
    return another;
  }

  get tables(): MemoryTables {
    return this.#tables;
  }

  refOf(sessionId: SessionId, checkpointId: CheckpointId): BlobRef {
    return this.#storage.blobs.refOf({ sessionId, checkpointId });
  }

  async putBlob(sessionId: SessionId, checkpointId: CheckpointId): Promise<void> {
    await this.#storage.blobs.put({ sessionId, checkpointId }, new Uint8Array(1));
    this.#blobs.add(this.refOf(sessionId, checkpointId));
  }

  async replaceBlob(ref: BlobRef): Promise<void> {
    await this.#storage.blobs.replace(ref, new Uint8Array(2));
  }

  async removeBlobs(refs: readonly BlobRef[], toBeErased: ReadonlySet<BlobRef>): Promise<void> {
    await removeBlobs(this.#storage)(refs, toBeErased);
    for (const ref of refs) this.#blobs.delete(ref);
  }

  async read<const R extends Reads>(reads: R): Promise<Facts<R>> {
    const answers = await this.#storage.catalog.read(reads);
    this.#prove(reads, answers);
    return answers;
  }

  /** Changes both. `seen` selects the part of the outcome that must be equal. */
  async change<Out>(rule: Rule<Out>, seen: (outcome: Out) => unknown = (outcome) => outcome): Promise<Out> {
    let isWithdrawn = false;
    const outcome = await this.#storage.catalog.change(this.#watched(rule, () => (isWithdrawn = true)));
    const expected = decided(rule, { answer: (read) => this.#tables.answer(read), keepsFacts: true });
    if (isWithdrawn) {
      expect(outcome).toEqual(expected.withdrawn);
      return outcome;
    }
    expect(seen(outcome)).toEqual(seen(expected.outcome));
    const { rows, audit, facts, forgotten = [] } = expected;
    const placed: RowChange[] = [];
    for (const row of rows) placed.push(await this.#placed(row));
    this.#tables.apply({ ...expected, ...structuredClone({ rows: placed, audit }) });
    for (const each of structuredClone(facts)) this.#facts.set(each.sessionId, each);
    for (const id of forgotten) this.#facts.delete(id);
    return outcome;
  }

  /** Compares all rows and totals. */
  async proveRows(): Promise<void> {
    await this.read({ ...EVERYTHING, totals: { of: "totals" }, bytes: { of: "bytes" }, contradictions: { of: "contradictions" } });
  }

  /** Compares all rows, totals and session facts, and verifies the chain of the audit log. */
  async prove(): Promise<void> {
    await this.proveRows();
    await this.#proveFacts();
    expect((await verifyAudit(this.#storage)).findings).toEqual([]);
  }

  async reopen(): Promise<void> {
    await this.#storage.close();
    this.#storage = await opened(this.#harness, this.#place);
    if (this.#harness.capabilities.persistent) return;
    [this.#tables, this.#facts] = [this.#emptyTables(), new Map()];
    this.#blobs.clear();
  }

  /** Replaces all content by the same rows with a new audit log. Places among the commits may be assigned anew, in the same order. */
  async replaceAll(at: Date): Promise<void> {
    const isDone = (row: NewRow): boolean => row.table === "removal" && row.now.isDone;
    const rows = this.#tables.content.rows.filter((row) => !isDone(row));
    const facts = this.#tables.sessionFacts;
    const audit = [eventAt(at)];
    const { locking, recovery, catalog } = this.#storage;
    await locking.exclusively(() => recovery.replaceAll({ rows: inOrder(rows), audit, facts }, "kept-aside"));
    const { checkpoints } = await catalog.read({ checkpoints: EVERYTHING.checkpoints });
    const commits = new Map(checkpoints.map(({ record, commit }) => [record.id, commit]));
    expect(checkpoints.map(({ record }) => record.id)).toEqual(
      inOrder(rows).flatMap((row) => (row.table === "checkpoint" ? [row.now.record.id] : [])),
    );
    this.#tables = this.#emptyTables();
    this.#tables.apply({
      rows: inOrder(rows).map((row) =>
        row.table === "checkpoint" ? { ...row, now: { ...row.now, commit: commits.get(row.now.record.id) } } : row,
      ),
      audit,
    });
    this.#facts = new Map(facts.map((each) => [each.sessionId, each]));
  }

  async destroy(): Promise<void> {
    for (const storage of [this.#storage, ...this.#others]) await storage.close();
    await this.#harness.destroy(this.#place);
  }

  #emptyTables(): MemoryTables {
    return new MemoryTables((ref) => !this.#harness.capabilities.seesBlobs || this.#blobs.has(ref));
  }

  /** Compares the facts of each step, and notes when a change of blobs withdraws the decision. */
  #watched<Out>(rule: Rule<Out>, onWithdrawal: () => void): Rule<Out> {
    return {
      ...rule,
      decide: (facts) => {
        this.#prove(rule.reads, facts);
        const next = rule.decide(facts);
        if ("reads" in next) return this.#watched(next, onWithdrawal);
        const { blobs } = next;
        if (blobs === undefined) return next;
        const watchedBlobs = async (): Promise<boolean> => {
          const isDone = await blobs();
          if (!isDone) onWithdrawal();
          return isDone;
        };
        return { ...next, blobs: watchedBlobs };
      },
    };
  }

  #prove(reads: Reads, answers: Facts<Reads>): void {
    for (const [name, read] of Object.entries(reads)) expectAnswer(read, answers[name], this.#tables);
  }

  /** Gives a new checkpoint the place among the commits that the store gave it. */
  async #placed(row: RowChange): Promise<RowChange> {
    if (row.table !== "checkpoint" || row.now === undefined || row.now.commit !== undefined) return row;
    const { stored } = await this.#storage.catalog.read({ stored: { of: "checkpoint", id: row.now.record.id } });
    const [newest] = this.#tables.answer({ of: "checkpoints", where: { state: "any" }, order: "newest", limit: 1 });
    expect(stored?.commit, "place of a new checkpoint among the commits").toBeGreaterThan(newest?.commit ?? 0);
    return { ...row, now: { ...row.now, commit: stored?.commit } };
  }

  /** A tombstone may stay in the facts, or go, once its blob is removed: a store need not write the facts for that. */
  async #proveFacts(): Promise<void> {
    const told = new Map<SessionId, SessionFacts>();
    for await (const facts of this.#storage.recovery.sessionFacts()) told.set(facts.sessionId, facts);
    const without = (all: Iterable<SessionFacts>): unknown =>
      [...all].map((facts) => ({ ...facts, tombstones: [] })).toSorted((one, other) => (one.sessionId < other.sessionId ? -1 : 1));
    expect(without(told.values()), "session facts").toEqual(without(this.#facts.values()));
    for (const { sessionId, tombstones } of this.#tables.sessionFacts) {
      const kept = told.get(sessionId)?.tombstones ?? [];
      expect(kept, "tombstones of removed checkpoints whose blobs may exist").toEqual(expect.arrayContaining([...tombstones]));
      expect(this.#facts.get(sessionId)?.tombstones, "tombstones ever written").toEqual(expect.arrayContaining([...kept]));
    }
  }
}

async function opened(harness: StorageHarness, place: string): Promise<ChainedStorage> {
  return chained(await harness.open(place), (text) => sha256.sha256(text));
}

function eventAt(at: Date): AuditEvent {
  return { at, action: "rebuild", sessionId: undefined, checkpointId: undefined, agentId: undefined };
}

/** Checkpoints come in the order of their commits. */
function inOrder(rows: readonly NewRow[]): readonly NewRow[] {
  const commitOf = (row: NewRow): number => (row.table === "checkpoint" ? (row.now.commit ?? 0) : 0);
  return rows.toSorted((one, other) => commitOf(one) - commitOf(other));
}
