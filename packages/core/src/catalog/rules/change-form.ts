import type { CheckpointRecord } from "../../model/checkpoint.ts";
import type { Reads } from "../reads.ts";
import { changed } from "../rows.ts";
import { nothing, type Rule, rule } from "../rule.ts";
import type { AuditEvent } from "../../model/audit.ts";

/** The fields of a record that say how the checkpoint's bytes are stored. */
export type StoredForm = Pick<CheckpointRecord, "blobBytes" | "baseId" | "keyId">;

/**
 * Replaces the bytes of a checkpoint, live or in the trash, and records their form. Returns false when the record is not as expected,
 * or when the new base is damaged or not live.
 */
export function changeForm(expected: CheckpointRecord, becomes: StoredForm, write: () => Promise<void>): Rule<boolean> {
  const { id, sessionId } = expected;
  const { blobBytes, baseId, keyId } = becomes;
  return rule({
    reads: {
      row: { of: "checkpoint", id },
      base: { of: "checkpoint", id: baseId ?? id },
      session: { of: "session", id: sessionId },
    } as const satisfies Reads,
    decide({ row, base, session }) {
      const isWhole = baseId === null || (base?.trashedAt === undefined && base?.record.damaged === false);
      if (row === undefined || session === undefined || !isKeptAs(row.record, expected) || !isWhole) return nothing(false);
      const record = { ...row.record, blobBytes, baseId, keyId, damaged: false };
      const isLive = row.trashedAt === undefined;
      const totalBytes = session.totalBytes + blobBytes - row.record.blobBytes;
      return {
        outcome: true,
        rows: [
          changed("checkpoint", row, { ...row, record }),
          ...(isLive ? [changed("session", session, { ...session, totalBytes })] : []),
        ],
        audit: [],
        async blobs() {
          await write();
          return true;
        },
      };
    },
  });
}

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

const FORM = ["blob", "blobBytes", "baseId", "keyId", "damaged"] as const;

/** True when the checkpoint's bytes are still stored as the caller last saw them. */
function isKeptAs(record: CheckpointRecord, expected: CheckpointRecord): boolean {
  return FORM.every((field) => record[field] === expected[field]);
}
