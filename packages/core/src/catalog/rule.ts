import type { AuditEvent } from "../model/audit.ts";
import type { BlobRef, SessionId } from "../model/ids.ts";
import type { Facts, Read, Reads } from "./reads.ts";
import type { RowChange } from "./rows.ts";
import type { SessionFacts } from "../model/session.ts";
import { survivingFacts, survivingReads } from "./surviving-facts.ts";

/** Change of a catalog as data: the facts that it needs, and the pure function that decides from them. */
export interface Rule<Out, R extends Reads = Reads> {
  readonly reads: R;
  /** Reads that a later step will probably ask for: the same objects. An adapter with slow round trips answers them in advance. */
  readonly ahead?: readonly Read[] | undefined;
  /**
   * The change of blobs that the decision will probably name: the same function. An adapter with slow round trips runs it together with the
   * reads of the first step, and undoes it if the decision does not name it. Such a decision changes nothing.
   */
  readonly blobsAhead?: BlobChange | undefined;
  /** Returns the decision, or the next step. Pure: it may run again on other facts. */
  decide(facts: Facts<R>): Decision<Out> | Rule<Out>;
}

/** Changes blobs as a part of a change of the catalog. False withdraws the decision. */
export type BlobChange = () => Promise<boolean>;

/** Effects of one change, applied all or not at all. */
export interface Decision<Out> {
  readonly outcome: Out;
  readonly rows: readonly RowChange[];
  /** Rows to append to the audit log, in this order. */
  readonly audit: readonly AuditEvent[];
  /** Sessions whose facts outside of the catalog change. */
  readonly touched?: readonly SessionId[] | undefined;
  /** Sessions whose facts outside of the catalog are removed. */
  readonly forgotten?: readonly SessionId[] | undefined;
  /** Blobs to be removed that no row names. An interrupted save may have written session facts for one: these are corrected first. */
  readonly strays?: readonly BlobRef[] | undefined;
  /** Removes the audit rows up to this number. */
  readonly auditThrough?: number | undefined;
  /** Changes blobs within the atomic step. False withdraws the decision: nothing is applied, and the outcome is `withdrawn`. */
  readonly blobs?: BlobChange | undefined;
  readonly withdrawn?: Out | undefined;
}

/** Types a step by its reads. */
export function rule<Out, R extends Reads>(step: Rule<Out, R>): Rule<Out> {
  return step;
}

/** Decision that changes nothing. */
export function nothing<Out>(outcome: Out): Decision<Out> {
  return { outcome, rows: [], audit: [] };
}

/** Continues from the decision of a rule. */
export function mapped<A, B>(from: Rule<A>, map: (decision: Decision<A>) => Decision<B> | Rule<B>): Rule<B> {
  return {
    reads: from.reads,
    ahead: from.ahead,
    blobsAhead: from.blobsAhead,
    decide(facts) {
      const next = from.decide(facts);
      return "reads" in next ? mapped(next, map) : map(next);
    },
  };
}

/** Decision with the session facts that must be durable before it is applied. */
export interface Settled<Out> extends Decision<Out> {
  readonly facts: readonly SessionFacts[];
}

export interface DecideOptions {
  readonly answer: (read: Read) => unknown;
  /** True when session facts are kept outside of the catalog. */
  readonly keepsFacts: boolean;
}

/** Runs a rule for an adapter that answers reads without waiting. */
export function decided<Out>(first: Rule<Out>, { answer, keepsFacts }: DecideOptions): Settled<Out> {
  let next: Decision<Out> | Rule<Out> = first;
  while ("reads" in next) next = next.decide(answered(next.reads, answer));
  const facts: SessionFacts[] = [];
  let { rows } = next;
  for (const sessionId of new Set(keepsFacts ? next.touched : [])) {
    const survives = survivingFacts(sessionId, rows, answered(survivingReads(sessionId), answer));
    rows = [...rows, ...survives.dropped];
    facts.push(...survives.facts);
  }
  return { ...next, rows, facts };
}

/** Answers each read under its name. */
export function answered<R extends Reads>(reads: R, answer: (read: Read) => unknown): Facts<R> {
  return Object.fromEntries(Object.entries(reads).map(([name, read]) => [name, answer(read)])) as Facts<R>;
}
