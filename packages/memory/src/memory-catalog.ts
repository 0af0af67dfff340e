import {
  answered,
  type CatalogContent,
  type CatalogPort,
  decided,
  type Facts,
  type Read,
  type Reads,
  type RecoveryPort,
  type Rule,
  type SessionFacts,
} from "@workrail/core";
import type { MemoryDisk } from "./memory-disk.ts";

/** Catalog rows in memory. Decision and application happen without a pause, except for changes of blobs. Rows are copied on input and output. */
export class MemoryCatalog implements CatalogPort, RecoveryPort {
  readonly #disk: MemoryDisk;

  constructor(disk: MemoryDisk) {
    this.#disk = disk;
  }

  async read<const R extends Reads>(reads: R): Promise<Facts<R>> {
    return structuredClone(answered(reads, (read) => this.#disk.catalog.answer(read)));
  }

  change<Out>(rule: Rule<Out>): Promise<Out> {
    return this.#disk.transact(() => this.#change(rule));
  }

  async #change<Out>(rule: Rule<Out>): Promise<Out> {
    const { catalog, sessionFacts } = this.#disk;
    const decision = decided(rule, { answer: (read: Read) => catalog.answer(read), keepsFacts: true });
    if ((await decision.blobs?.()) === false) return decision.withdrawn as Out;
    for (const facts of decision.facts) sessionFacts.set(facts.sessionId, structuredClone(facts));
    for (const sessionId of decision.forgotten ?? []) sessionFacts.delete(sessionId);
    const { rows, audit, auditThrough } = decision;
    catalog.apply(structuredClone({ rows, audit, auditThrough }));
    return structuredClone(decision.outcome);
  }

  async state(): Promise<"sound" | "lost"> {
    return this.#disk.catalog.isPristine && this.#disk.blobs.size > 0 ? "lost" : "sound";
  }

  async *sessionFacts(): AsyncGenerator<SessionFacts> {
    for (const facts of this.#disk.sessionFacts.values()) yield structuredClone(facts);
  }

  replaceAll({ rows, audit, facts }: CatalogContent): Promise<void> {
    return this.#disk.transact(async () => {
      this.#disk.loseCatalog();
      this.#disk.catalog.apply({ rows, audit });
      for (const each of facts) this.#disk.sessionFacts.set(each.sessionId, structuredClone(each));
    });
  }
}
