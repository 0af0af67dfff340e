import { WorkrailError } from "../errors.ts";
import { isErasureWanted, isRemovalWanted } from "./is-wanted.ts";
import type { Read, Where } from "./reads.ts";
import { changesOf, type RowChange, rowsAfter, type Tables } from "./rows.ts";

/**
 * Returns the answer to a read after changes that are decided but not applied. Reads by key follow the changes. Reads by order or
 * number do not: a rule that asks for them comes first in a sequence.
 */
export function answerAfter(read: Read, answer: unknown, changes: readonly RowChange[]): unknown {
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
    throw new WorkrailError("INTERNAL", `A rule in a sequence reads ${read.of} that an earlier rule changed.`);
  }
}

/** True when ids are the only condition. */
function isByIds({ state, ids, ...others }: Where): boolean {
  return state === "any" && ids !== undefined && Object.keys(others).length === 0;
}

function isNamed(id: Tables["checkpoint"]["record"]["id"], { ids = [] }: Where): boolean {
  return ids.includes(id);
}
