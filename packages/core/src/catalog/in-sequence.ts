import { answerAfter } from "./answer-after.ts";
import type { Facts, Reads } from "./reads.ts";
import { type Change, KEY_OF, type RowChange, type Tables } from "./rows.ts";
import type { Decision, Rule } from "./rule.ts";

/**
 * Makes one change of several rules, none of which changes blobs. Each rule sees the rows of the rules before it. `goesOn` tells by
 * an outcome if the next rule follows.
 */
export function inSequence<Out>(
  rules: readonly Rule<Out>[],
  goesOn: (outcome: Out) => boolean = () => true,
): Decision<readonly Out[]> | Rule<readonly Out[]> {
  return following(rules, []);

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
  return {
    outcome: decisions.map(({ outcome }) => outcome),
    rows: merged(decisions.flatMap(({ rows }) => rows)),
    audit: decisions.flatMap(({ audit }) => audit),
    touched: decisions.flatMap(({ touched = [] }) => touched),
    forgotten: decisions.flatMap(({ forgotten = [] }) => forgotten),
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
