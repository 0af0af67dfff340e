import type { AuditEvent } from "../../model/audit.ts";
import type { CheckpointRecord } from "../../model/checkpoint.ts";
import { changed } from "../rows.ts";
import { nothing, type Rule, rule } from "../rule.ts";
import { isKeptAs } from "./is-kept-as.ts";

/**
 * Marks a live checkpoint as damaged. `putAside` checks the bytes a last time and moves them away. Returns false when the record is
 * not as expected, or when `putAside` finds no damage.
 */
export function markDamaged(expected: CheckpointRecord, audit: AuditEvent, putAside: () => Promise<boolean>): Rule<boolean> {
  return rule({
    reads: { row: { of: "checkpoint", id: expected.id } } as const,
    decide({ row }) {
      if (row === undefined || row.trashedAt !== undefined || row.record.damaged || !isKeptAs(row.record, expected)) return nothing(false);
      const record = { ...row.record, damaged: true };
      return {
        outcome: true,
        rows: [changed("checkpoint", row, { ...row, record })],
        audit: [audit],
        blobs: putAside,
        withdrawn: false,
      };
    },
  });
}
