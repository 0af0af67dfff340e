import type { CheckpointId } from "../../model/ids.ts";
import { changed } from "../rows.ts";
import { nothing, type Rule, rule } from "../rule.ts";
import { later } from "./weighed.ts";

/** Records a load of a live checkpoint. Loads are reported late and out of order, so times only advance. */
export function touch({ checkpointId: id, at }: { readonly checkpointId: CheckpointId; readonly at: Date }): Rule<undefined> {
  return rule({
    reads: { row: { of: "checkpoint", id } } as const,
    decide({ row }) {
      if (row === undefined || row.trashedAt !== undefined) return nothing(undefined);
      const { record } = row;
      return rule({
        reads: { session: { of: "session", id: record.sessionId } } as const,
        decide({ session }) {
          const used = { ...row, record: { ...record, lastAccessedAt: later(record.lastAccessedAt, at) } };
          const now = session && { ...session, lastAccessedAt: later(session.lastAccessedAt, at) };
          return { outcome: undefined, rows: [changed("checkpoint", row, used), changed("session", session, now)], audit: [] };
        },
      });
    },
  });
}
