import type { CatalogPort } from "../src/catalog/catalog-port.ts";
import { answered, decided, type Rule } from "../src/catalog/rule.ts";
import { MemoryTables } from "../src/catalog/memory-tables.ts";
import type { Answers, Read } from "../src/catalog/reads.ts";
import { append, type Append, type CommitOutcome } from "../src/catalog/rules/append.ts";
import type { CheckpointRecord, NewRecord } from "../src/model/checkpoint.ts";
import type { BlobRef, CheckpointId, SessionId } from "../src/model/ids.ts";
import type { SessionFacts } from "../src/model/session.ts";
import { aRecord } from "../../storage-conformance/src/builders.ts";

export const S: SessionId = "s" as SessionId;
export const T: SessionId = "t" as SessionId;

/** Applies rules to rows in memory, without a port and without waiting. */
export class RuleCatalog {
  readonly tables: MemoryTables = new MemoryTables((ref) => !this.missing.has(ref));
  readonly missing: Set<BlobRef> = new Set();
  readonly facts: Map<SessionId, SessionFacts> = new Map();
  /** Steps of the last rule, and the reads that no earlier step named in advance. */
  steps = 0;
  surprises = 0;

  change<Out>(rule: Rule<Out>): Out {
    this.steps = 0;
    this.surprises = 0;
    const decision = decided(this.#watched(rule, new Set(Object.values(rule.reads))), {
      answer: (read) => this.tables.answer(read),
      keepsFacts: true,
    });
    for (const facts of decision.facts) this.facts.set(facts.sessionId, facts);
    for (const id of decision.forgotten ?? []) this.facts.delete(id);
    this.tables.apply(decision);
    return decision.outcome;
  }

  /** The same rows as a port. */
  readonly port: CatalogPort = {
    read: async (reads) => answered(reads, (read) => this.ask(read)),
    change: async (rule) => this.change(rule),
  };

  ask<R extends Read>(read: R): Answers[R["of"]] {
    return this.tables.answer(read);
  }

  /** Appends a checkpoint. */
  append(id: string, record: Partial<NewRecord> = {}, terms: Partial<Append> = {}): CommitOutcome {
    return this.change(append(anAppend(id, record, terms)));
  }

  /** Appends a checkpoint that must be accepted. */
  saved(id: string, record: Partial<NewRecord> = {}, terms: Partial<Append> = {}): CheckpointRecord {
    const outcome = this.append(id, record, terms);
    if (outcome.status !== "committed" || outcome.record === undefined) throw new Error(`${id} is ${outcome.status}.`);
    return outcome.record;
  }

  #watched<Out>(rule: Rule<Out>, known: ReadonlySet<Read>): Rule<Out> {
    const expected = new Set([...known, ...(rule.ahead ?? [])]);
    return {
      ...rule,
      decide: (facts) => {
        this.steps += 1;
        if (Object.values(rule.reads).some((read) => !known.has(read))) this.surprises += 1;
        const next = rule.decide(facts);
        return "reads" in next ? this.#watched(next, expected) : next;
      },
    };
  }
}

/** Builds an append without conditions. */
export function anAppend(id: string, record: Partial<NewRecord> = {}, terms: Partial<Append> = {}): Append {
  const whole = aRecord({ sessionId: S, blob: refOf(id), ...record, id: id as CheckpointId });
  return { record: whole, unlessHeadIs: undefined, expectedHead: undefined, keepNewest: undefined, ...terms };
}

export function refOf(id: string): BlobRef {
  return `blob-${id}` as BlobRef;
}

export function ids(...all: readonly string[]): CheckpointId[] {
  return all as CheckpointId[];
}
