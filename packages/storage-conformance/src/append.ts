import type { Append, CheckpointId, CheckpointRecord, CommitOutcome, NewRecord, SessionId } from "@workrail/core";
import { aRecord } from "./builders.ts";
import { expect } from "vitest";
import { randomIds } from "./environment.ts";
import type { StorageInUse } from "./storage-in-use.ts";

/** Fields of a record that a test sets; the others get plausible values. */
type GivenRecord = Partial<NewRecord> & { readonly sessionId: SessionId };

/** Makes a record whose blob is already stored, because some catalogs check that. */
export async function storedRecord(storage: StorageInUse, given: GivenRecord): Promise<NewRecord> {
  const id: CheckpointId = given.id ?? randomIds.checkpointId();
  const bytes = new TextEncoder().encode(`blob of ${id}`);
  const blob = await storage.blobs.put({ sessionId: given.sessionId, checkpointId: id }, bytes);
  if (blob === undefined) throw new Error("A put without ifAbsent answered that there was a blob already.");
  return aRecord({ blob, blobBytes: bytes.length, ...given, id });
}

/** Commits a record under the given conditions; without conditions it is always appended. */
export function commitRecord(storage: StorageInUse, record: NewRecord, terms: Partial<Append> = {}): Promise<CommitOutcome> {
  const append = { record, unlessHeadIs: undefined, expectedHead: undefined, keepNewest: undefined, ...terms };
  return storage.catalog.commit({ append, audit: [] });
}

async function appendOn(storage: StorageInUse, given: GivenRecord, terms: Partial<Append> = {}): Promise<CommitOutcome> {
  return commitRecord(storage, await storedRecord(storage, given), terms);
}

/** Appends a record and expects the commit to succeed. */
export async function append(storage: StorageInUse, given: GivenRecord, terms: Partial<Append> = {}): Promise<CheckpointRecord> {
  const outcome = await appendOn(storage, given, terms);
  expect(outcome.status).toBe("committed");
  if (outcome.status !== "committed" || outcome.record === undefined) throw new Error("The commit answered without its record.");
  return outcome.record;
}

export function idsOf(records: readonly { readonly id: CheckpointId }[]): CheckpointId[] {
  return records.map((record) => record.id);
}
