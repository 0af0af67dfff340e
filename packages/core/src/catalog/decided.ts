import type { SessionFacts } from "../model/session.ts";
import type { Facts, Read, Reads } from "./reads.ts";
import type { Decision, Rule } from "./rule.ts";
import { survivingFacts, survivingReads } from "./surviving-facts.ts";

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
