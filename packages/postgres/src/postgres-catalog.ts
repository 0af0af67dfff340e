import {
  answered,
  type AuditEvent,
  type CatalogContent,
  type CatalogPort,
  type Decision,
  type Facts,
  factsOf,
  type LoggedEvent,
  type Read,
  type Reads,
  type RecoveryPort,
  type Rule,
  type SessionFacts,
  survivingReads,
  WorkrailError,
} from "@workrail/core";
import { answerRead, answerReads } from "./answer-read.ts";
import { clearingWrites, countingWrites, writesOf } from "./apply-rows.ts";
import { ask } from "./ask.ts";
import { builder, type Query } from "./queries/query-builder.ts";
import { all, type Ending, type LockedStore, OfCaller, type Transactions, type Turn } from "./transactions.ts";

export interface PostgresCatalogOptions {
  readonly tenant: string;
  readonly transactions: Transactions;
  /** Id of this opener of the store. */
  readonly opener: string;
}

/** Sessions per page of `sessionFacts`. */
const SESSIONS_A_PAGE = 200;

/** The catalog in tables of a tenant. Answers reads and applies rows. */
export class PostgresCatalog implements CatalogPort, RecoveryPort {
  readonly #tenant: string;
  readonly #transactions: Transactions;
  readonly #opener: string;

  constructor({ tenant, transactions, opener }: PostgresCatalogOptions) {
    this.#tenant = tenant;
    this.#transactions = transactions;
    this.#opener = opener;
  }

  read<const R extends Reads>(reads: R): Promise<Facts<R>> {
    return this.#transactions.reading((connection) => answerReads(connection, this.#tenant, reads));
  }

  change<Out>(rule: Rule<Out>): Promise<Out> {
    return this.#transactions.change((turn) => this.#carryOut(rule, turn));
  }

  async state(): Promise<"sound" | "lost"> {
    const query = builder.selectFrom("store").select("is_whole").where("tenant_id", "=", this.#tenant);
    const [store] = await this.#transactions.run((connection) => ask(connection, query));
    return store?.is_whole === false ? "lost" : "sound";
  }

  /** Builds session facts from rows, their only place. */
  async *sessionFacts(): AsyncGenerator<SessionFacts> {
    let after: readonly [Date, string] | undefined;
    for (;;) {
      const { sessions } = await this.read({ sessions: { of: "sessions", where: {}, limit: SESSIONS_A_PAGE, after } });
      for (const { id } of sessions) {
        const { session, removals, erasures, trash, shielded } = await this.read(survivingReads(id));
        if (session !== undefined) yield factsOf(session, { removals, erasures, checkpoints: [...trash, ...shielded] });
      }
      const last = sessions.at(-1);
      if (last === undefined) return;
      after = [last.lastAccessedAt, last.id];
    }
  }

  /** Keeps no old rows: use backups of the database. */
  replaceAll({ rows, audit }: CatalogContent): Promise<void> {
    return this.#transactions.change(async ({ locked }) => {
      if ((await locked).alone_by !== this.#opener) throw inUse();
      const writes = [...clearingWrites(this.#tenant), ...writesOf(this.#tenant, { rows, audit }, { lastCommit: 0, lastNumber: 0 })];
      return { outcome: undefined, hasWritten: false, writes, evidence: this.#evidenceOf(audit) };
    });
  }

  /** Answers the reads of a rule, those of later steps in advance, and builds the statements of the decision. */
  async #carryOut<Out>(rule: Rule<Out>, turn: Turn): Promise<Ending<Out>> {
    const answers = new Map<Read, unknown>();
    const { blobsAhead } = rule;
    const putAhead = blobsAhead && this.#transactions.within(turn, blobsAhead);
    const answering = this.#answer(turn, [...Object.values(rule.reads), ...(rule.ahead ?? [])], answers);
    await all([turn.locked, answering, ...(putAhead === undefined ? [] : [putAhead])]);
    const store = await turn.locked;
    if (store.alone_by !== null && store.alone_by !== this.#opener) throw inUse();
    let next: Decision<Out> | Rule<Out> = rule;
    while ("reads" in next) {
      await this.#answer(turn, Object.values(next.reads), answers);
      next = decided(next, answers);
    }
    const { blobs } = next;
    if (blobsAhead !== undefined && blobs !== blobsAhead) return { outcome: unchanged(next), hasWritten: false, writes: [] };
    // A rule that reads contradictions corrects rows. Totals are not rows: they are recounted.
    const corrects = [...answers.keys()].some(({ of }) => of === "contradictions");
    // Changes blobs before rows, so that the caller reads the old rows. Builds the row statements meanwhile.
    const putting = putAhead ?? (blobs === undefined ? Promise.resolve(true) : this.#transactions.within(turn, blobs));
    const building = this.#writesOf(turn, store, next);
    // Waits for both: a statement after the turn would run outside of its transaction.
    await all([putting, building]);
    if (!(await putting)) return { outcome: next.withdrawn as Out, hasWritten: false, writes: [] };
    const writes = [...(await building), ...(corrects ? countingWrites(this.#tenant) : [])];
    return { outcome: next.outcome, hasWritten: blobs !== undefined, writes, evidence: this.#evidenceOf(next.audit) };
  }

  /** Answers the reads that have no answer yet, in one round trip. */
  async #answer({ connection }: Turn, reads: readonly Read[], answers: Map<Read, unknown>): Promise<void> {
    const open = [...new Set(reads)].filter((read) => !answers.has(read));
    const found = await Promise.all(open.map(async (read) => [read, await answerRead(connection, this.#tenant, read)] as const));
    for (const [read, answer] of found) answers.set(read, answer);
  }

  async #writesOf(turn: Turn, { last_commit: lastCommit }: LockedStore, decision: Decision<unknown>): Promise<readonly Query<unknown>[]> {
    const isNumbered = decision.audit.every((event) => "number" in event);
    const [last] = isNumbered ? [] : await answerRead(turn.connection, this.#tenant, { of: "audit", query: { limit: 1 } });
    return writesOf(this.#tenant, decision, { lastCommit, lastNumber: last?.number ?? 0 });
  }

  /** Finds the commit's last audit row. Its digest covers all rows before it. */
  #evidenceOf(audit: readonly (AuditEvent | LoggedEvent)[]): (() => Query<unknown>) | undefined {
    const last = audit.at(-1);
    if (last === undefined || !("digest" in last) || last.digest === undefined) return undefined;
    const { number, digest } = last;
    return () => {
      const row = builder.selectFrom("audit").select("number").where("tenant_id", "=", this.#tenant).where("number", "=", number);
      return row.where("digest", "=", digest);
    };
  }
}

function decided<Out>(step: Rule<Out>, answers: ReadonlyMap<Read, unknown>): Decision<Out> | Rule<Out> {
  try {
    return step.decide(answered(step.reads, (read) => answers.get(read)));
  } catch (error) {
    throw new OfCaller(error);
  }
}

/** Returns the outcome of a decision that changes nothing. */
function unchanged<Out>({ outcome, rows, audit }: Decision<Out>): Out {
  if (rows.length + audit.length === 0) return outcome;
  throw new WorkrailError("INTERNAL", "A decision changes rows, but not the blobs of `blobsAhead`.");
}

function inUse(): WorkrailError {
  return new WorkrailError("STORE_IN_USE", "Another process uses the store exclusively.", { hint: "Try again when that process is done." });
}
