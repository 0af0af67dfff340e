import type { Facts, Read, Reads, Where } from "./reads.ts";
import { type Change, changesOf, KEY_OF, type RowChange, rowsAfter, type Tables } from "./rows.ts";
import type { Decision, Rule } from "./rule.ts";
import { WorkrailError } from "../errors.ts";
import { isErasureWanted, isRemovalWanted } from "./matching-rows.ts";

/**
 * Makes one change of several rules, of which at most one changes blobs. Each rule sees the rows of the rules before it. `goesOn` tells by
 * an outcome if the next rule follows.
 */
export function inSequence<Out>(rules: readonly Rule<Out>[], goesOn: (outcome: Out) => boolean = () => true): Rule<readonly Out[]> {
  const first = following(rules, []);
  return "reads" in first ? first : { reads: {}, decide: () => first };

  function following(
    [next, ...rest]: readonly Rule<Out>[],
    done: readonly Decision<Out>[],
  ): Decision<readonly Out[]> | Rule<readonly Out[]> {
    return next === undefined ? together(done) : step(next, rest, done);
  }

  function step(current: Rule<Out>, rest: readonly Rule<Out>[], done: readonly Decision<Out>[]): Rule<readonly Out[]> {
    const rows = done.flatMap((decision) => decision.rows);
    return {
      reads: current.reads,
      ahead: [...(current.ahead ?? []), ...rest.flatMap(({ reads, ahead = [] }) => [...Object.values(reads), ...ahead])],
      decide(facts) {
        const next = current.decide(factsAfter(current.reads, facts, rows));
        if ("reads" in next) return step(next, rest, done);
        return following(goesOn(next.outcome) ? rest : [], [...done, next]);
      },
    };
  }
}

function factsAfter(reads: Reads, facts: Facts<Reads>, rows: readonly RowChange[]): Facts<Reads> {
  if (rows.length === 0) return facts;
  return Object.fromEntries(Object.entries(reads).map(([name, read]) => [name, answerAfter(read, facts[name], rows)])) as Facts<Reads>;
}

function together<Out>(decisions: readonly Decision<Out>[]): Decision<readonly Out[]> {
  const { blobs, strays } = decisions.find((each) => each.blobs !== undefined) ?? {};
  return {
    outcome: decisions.map(({ outcome }) => outcome),
    rows: merged(decisions.flatMap(({ rows }) => rows)),
    audit: decisions.flatMap(({ audit }) => audit),
    touched: decisions.flatMap(({ touched = [] }) => touched),
    forgotten: decisions.flatMap(({ forgotten = [] }) => forgotten),
    strays,
    blobs,
  };
}

/** One change for each row: from its first `was` to its last `now`. */
function merged(rows: readonly RowChange[]): readonly RowChange[] {
  const changes = new Map<string, RowChange>();
  for (const row of rows) {
    const name = `${row.table} ${keyOf(row)}`;
    const first = changes.get(name);
    changes.set(name, first === undefined ? row : ({ table: row.table, was: first.was, now: row.now } as RowChange));
  }
  return [...changes.values()].filter(({ was, now }) => was !== undefined || now !== undefined);
}

function keyOf<T extends keyof Tables>({ table, was, now }: Change<Tables[T]> & { readonly table: T }): string {
  const row = now ?? was;
  return row === undefined ? "" : KEY_OF[table](row);
}

/**
 * Returns the answer to a read after changes that are decided but not applied. Reads by key follow the changes. Reads by order or
 * number do not: a rule that asks for them comes first in a sequence.
 */
function answerAfter(read: Read, answer: unknown, changes: readonly RowChange[]): unknown {
  const after = <T extends keyof Tables>(table: T, rows: unknown): readonly Tables[T][] => {
    return rowsAfter(
      table,
      (rows as readonly Tables[T][]).filter((row) => row !== undefined),
      changes,
    );
  };
  switch (read.of) {
    case "session":
      return after("session", [answer]).find(({ id }) => id === read.id);
    case "checkpoint":
      return after("checkpoint", [answer]).find(({ record }) => record.id === read.id);
    case "removals":
      return read.isNoBase === true ? unchanged(["removal", "edge"]) : after("removal", answer).filter((row) => isRemovalWanted(row, read));
    case "erasures":
      return after("erasure", answer).filter((row) => isErasureWanted(row, read));
    case "checkpoints":
      return isByIds(read.where)
        ? after("checkpoint", answer).filter(({ record }) => isNamed(record.id, read.where))
        : unchanged(["checkpoint"]);
    case "places":
    case "count":
    case "bytes":
      return unchanged(["checkpoint"]);
    case "edges":
      return unchanged(["edge"]);
    case "holds":
      return unchanged(["hold"]);
    case "sessions":
    case "totals":
    case "contradictions":
      return unchanged(["checkpoint", "session", "removal", "edge"]);
    case "audit":
    case "mark":
    case "blob":
      return answer;
  }

  function unchanged(tables: readonly (keyof Tables)[]): unknown {
    if (tables.every((table) => changesOf(table, changes).length === 0)) return answer;
    throw new WorkrailError("INTERNAL", `A rule in a sequence reads ${read.of}, which an earlier rule changed.`);
  }
}

/** True when ids are the only condition. */
function isByIds({ state, ids, ...others }: Where): boolean {
  return state === "any" && ids !== undefined && Object.keys(others).length === 0;
}

function isNamed(id: Tables["checkpoint"]["record"]["id"], { ids = [] }: Where): boolean {
  return ids.includes(id);
}
