import type { CheckpointRecord } from "../../model/checkpoint.ts";

const FORM = ["blob", "blobBytes", "baseId", "keyId", "damaged"] as const;

/** True when the checkpoint's bytes are still stored as the caller last saw them. */
export function isKeptAs(record: CheckpointRecord, expected: CheckpointRecord): boolean {
  return FORM.every((field) => record[field] === expected[field]);
}
