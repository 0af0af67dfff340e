import {
  ALL,
  WorkrailError,
  matcherOf,
  type CatalogPort,
  type ChainedRecovery,
  type CheckpointRow,
  type Facts,
  type Read,
  type Reads,
  type Rule,
  type Select,
  type Where,
} from "@workrail/core";
import { plainFacts } from "./forms.ts";
import { RowSealer } from "./row-sealer.ts";
import { sealEvent, sealLabels, type TextSealer } from "./seal-record.ts";

/** Records read at a time when a condition needs opened texts, which the catalog below cannot search. */
const SCAN_PAGE = 500;

/**
 * Seals the text of people and agents in rows on write and opens it on read: rules see plain rows. Whole texts are compared by the
 * catalog below. For attributes, a part of a name, or words, all rows that meet the other conditions are read and opened.
 */
export function sealedCatalog(catalog: CatalogPort, sealer: TextSealer): CatalogPort {
  const rows = new RowSealer(sealer);
  return {
    async read<const R extends Reads>(reads: R): Promise<Facts<R>> {
      const [searching, direct] = partition(reads, searchesText);
      const facts: [string, unknown][] = Object.entries(openFacts(direct, await catalog.read(sealReads(direct))));
      for (const [name, read] of Object.entries(searching)) facts.push([name, await search(read)]);
      return Object.fromEntries(facts) as Facts<R>;
    },
    change: (rule) => catalog.change(sealedRule(rule)),
  };

  function sealedRule<Out>(rule: Rule<Out>): Rule<Out> {
    const { reads, ahead, blobsAhead } = rule;
    return {
      reads: sealReads(reads),
      ahead: ahead?.map((read) => rows.sealRead(read)),
      blobsAhead,
      decide(facts) {
        const next = rule.decide(openFacts(reads, facts));
        if ("reads" in next) return sealedRule(next);
        return {
          ...next,
          rows: next.rows.map((row) => rows.sealChange(row)),
          audit: next.audit.map((event) => sealEvent(sealer, event)),
        };
      },
    };
  }

  function sealReads(reads: Reads): Reads {
    if (Object.values(reads).some(searchesText)) throw new WorkrailError("INTERNAL", "A rule must not search sealed texts.");
    return Object.fromEntries(Object.entries(reads).map(([name, read]) => [name, rows.sealRead(read)]));
  }

  function openFacts(reads: Reads, facts: Facts<Reads>): Facts<Reads> {
    const opened = Object.entries(reads).map(([name, read]) => [name, rows.openAnswer(read, facts[name] as never)] as const);
    return Object.fromEntries(opened) as Facts<Reads>;
  }

  async function search(read: Searching): Promise<unknown> {
    switch (read.of) {
      case "count":
        return (await found({ of: "checkpoints", where: read.where, order: "newest", limit: ALL }, () => true)).length;
      case "places":
        return found({ ...read, of: "checkpoints" }, ({ record: { id, sequence } }) => ({ id, sequence }));
      case "checkpoints":
        return found(read, (row) => row);
    }
  }

  async function found<T>(read: Select, toAnswer: (row: CheckpointRow) => T): Promise<readonly T[]> {
    const answers: T[] = [];
    let skip = read.offset ?? 0;
    for await (const row of matching(read)) {
      if (answers.length === read.limit) break;
      if (skip > 0) skip -= 1;
      else answers.push(toAnswer(row));
    }
    return answers;
  }

  async function* matching(read: Select): AsyncGenerator<CheckpointRow> {
    const matches = matcherOf(
      { state: "any", words: read.where.words, name: read.where.name, attributes: read.where.attributes },
      { tagsOf: () => [], headOf: () => undefined },
    );
    let { after } = read;
    for (;;) {
      const page = { ...read, limit: SCAN_PAGE, offset: 0, after };
      const answer = openFacts({ page }, await catalog.read({ page: rows.sealRead(page) })) as { readonly page: readonly CheckpointRow[] };
      yield* answer.page.filter(matches);
      const last = answer.page.at(-1);
      if (last === undefined || answer.page.length < SCAN_PAGE) return;
      after = read.where.sessionId === undefined ? last.commit : last.record.sequence;
    }
  }
}

/** Seals what replaces a catalog, and opens the facts that survive it. */
export function sealedRecovery(recovery: ChainedRecovery, sealer: TextSealer): ChainedRecovery {
  const rowSealer = new RowSealer(sealer);
  return {
    state: (options) => recovery.state(options),
    async *sessionFacts() {
      for await (const facts of recovery.sessionFacts()) yield plainFacts({ from: sealer, to: sealer }, facts);
    },
    replaceAll({ rows, audit, facts }, old) {
      const sealed = {
        rows: rows.map((row) => rowSealer.sealNewRow(row)),
        audit: audit.map((event) => sealEvent(sealer, event)),
        facts: facts.map((each) => sealLabels(sealer, each)),
      };
      return recovery.replaceAll(sealed, old);
    },
  };
}

type Searching = Extract<Read, { of: "checkpoints" | "places" | "count" }>;

/** True when a condition concerns attributes, which are sealed as one text, or a part of a text. Only listings have such conditions. */
function searchesText(read: Read): read is Searching {
  if (read.of !== "checkpoints" && read.of !== "places" && read.of !== "count") return false;
  const { words = [], name, attributes = {} }: Where = read.where;
  return words.length > 0 || name !== undefined || Object.keys(attributes).length > 0;
}

function partition<T extends Read>(reads: Reads, isFirst: (read: Read) => read is T): readonly [Readonly<Record<string, T>>, Reads] {
  const all = Object.entries(reads);
  const first = all.filter((entry): entry is [string, T] => isFirst(entry[1]));
  return [Object.fromEntries(first), Object.fromEntries(all.filter(([, read]) => !isFirst(read)))];
}
