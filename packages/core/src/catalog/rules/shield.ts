import { isShielded } from "../asides.ts";
import type { CheckpointRecord } from "../../model/checkpoint.ts";
import type { Shield } from "../../model/session.ts";
import { changed } from "../rows.ts";
import { nothing, type Rule, rule } from "../rule.ts";

/** Extends the shield of a live checkpoint. Returns its record afterwards; `undefined` when it is not live. */
export function shield({ checkpointId: id, until }: Shield): Rule<CheckpointRecord | undefined> {
  return rule({
    reads: { row: { of: "checkpoint", id } } as const,
    decide({ row }) {
      if (row === undefined || row.trashedAt !== undefined) return nothing(undefined);
      const { record: before } = row;
      if (isShielded(before, until) || before.shieldedUntil?.getTime() === until.getTime()) return nothing(before);
      const record = { ...before, shieldedUntil: until };
      return { outcome: record, rows: [changed("checkpoint", row, { ...row, record })], audit: [], touched: [record.sessionId] };
    },
  });
}
