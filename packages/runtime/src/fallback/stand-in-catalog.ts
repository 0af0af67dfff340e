import { type CatalogPort, type Decision, type Facts, type Reads, type Rule, SerialQueue } from "@workrail/core";
import { keptRows } from "./kept-rows.ts";
import { memoryAnswer, mergedAnswer, remainingRead } from "./merged-answer.ts";
import type { RetainedMemory } from "./retained-memory.ts";
import { listedSessions } from "./stand-in-sessions.ts";
import { isStorageFailure } from "./storage-failure.ts";

/**
 * Memory over a catalog that may fail. Rules see both as one catalog. New checkpoints, their shields, and pins stay in memory; every
 * other change goes below and may fail. Loads are not recorded.
 *
 * Reads that memory cannot answer alone report a failure below. Listings return the rows that are readable.
 */
export function standInCatalog(memory: RetainedMemory, below: () => Promise<CatalogPort>): CatalogPort {
  const turns = new SerialQueue();
  return { read, change };

  async function read<const R extends Reads>(reads: R): Promise<Facts<R>> {
    const answers: [string, unknown][] = [];
    const direct: Record<string, Reads[string]> = {};
    for (const [name, each] of Object.entries(reads)) {
      const asked = remainingRead(memory, each);
      if (asked === undefined) answers.push([name, memory.answer(each)]);
      else if (each.of === "sessions") answers.push([name, await listedSessions(memory, each, below)]);
      else direct[name] = asked;
    }
    const theirs = await askBelow(direct);
    for (const name of Object.keys(direct)) {
      const each = reads[name] as R[string];
      answers.push([
        name,
        "failure" in theirs ? memoryAnswer(memory, each, theirs.failure) : mergedAnswer(memory, each, theirs.facts[name]),
      ]);
    }
    return Object.fromEntries(answers) as Facts<R>;
  }

  async function askBelow(reads: Reads): Promise<{ readonly facts: Facts<Reads> } | { readonly failure: unknown }> {
    try {
      return { facts: await (await below()).read(reads) };
    } catch (failure) {
      if (isStorageFailure(failure)) return { failure };
      throw failure;
    }
  }

  async function change<Out>(rule: Rule<Out>): Promise<Out> {
    const kept = await turns.run(() => keepIfNew(rule));
    return kept === undefined ? (await below()).change(rule) : kept.outcome;
  }

  /** Keeps a decision in memory. `undefined` when the decision changes something below. */
  async function keepIfNew<Out>(rule: Rule<Out>): Promise<{ readonly outcome: Out } | undefined> {
    let next: Decision<Out> | Rule<Out> = rule;
    while ("reads" in next) next = next.decide(await read(next.reads));
    const { outcome, rows, audit, forgotten = [], auditThrough, blobs, withdrawn } = next;
    const kept = forgotten.length === 0 && auditThrough === undefined ? keptRows(rows, (id) => memory.holds(id)) : undefined;
    if (kept === undefined) return undefined;
    if ((await blobs?.()) === false) return { outcome: withdrawn as Out };
    memory.keep(kept, audit);
    return { outcome };
  }
}
