import {
  canonicalJson,
  CHECKPOINT_KINDS,
  type CheckpointFilter,
  type CheckpointId,
  type CheckpointRecord,
  type Context,
  matchesFilter,
  type SessionId,
  verifyAudit,
} from "@workrail/core";
import { sha256 } from "./environment.ts";
import { Workbench } from "./workbench.ts";
import type { StorageInUse } from "./storage-in-use.ts";

/** Content of a store, with each checkpoint verified against its blob. */
export interface ProvenStore {
  /** Records, oldest commit first. */
  readonly records: readonly CheckpointRecord[];
  /** The exact JSON of each checkpoint's context. */
  readonly texts: ReadonlyMap<CheckpointId, string>;
}

/** Lists all records of all kinds that match a filter, oldest commit first. */
export async function allRecords(storage: StorageInUse, filter: CheckpointFilter = {}): Promise<readonly CheckpointRecord[]> {
  const newestFirst: CheckpointRecord[] = [];
  for (let page, after; page === undefined || after !== undefined; after = page.next) {
    page = await storage.catalog.list({ filter: { kinds: CHECKPOINT_KINDS, ...filter }, limit: 100, offset: 0, after });
    newestFirst.push(...page.records);
  }
  return newestFirst.reverse();
}

/** Reads the whole store. Throws at the first violation, as `proveCheckpoints` does, and when the chain of the audit log is broken. */
export async function proveStore(storage: StorageInUse): Promise<ProvenStore> {
  const proven = await proveCheckpoints(storage);
  await proveAudit(storage);
  return proven;
}

/** Reads the audit log. Throws when its chain is broken. */
export async function proveAudit(storage: StorageInUse): Promise<void> {
  mustEqual((await verifyAudit(storage)).findings, [], "the chain of the audit log");
}

/**
 * Reads all checkpoints, or those of one session. Throws at the first violation: a record without its blob, a blob that differs from its
 * record, a repeated sequence, a head that is not the last checkpoint, a wrong count.
 */
export async function proveCheckpoints(storage: StorageInUse, filter: Pick<CheckpointFilter, "sessionId"> = {}): Promise<ProvenStore> {
  const bench = new Workbench(storage);
  const records = await allRecords(storage, filter);
  const texts = new Map<CheckpointId, string>();
  for (const record of records) {
    await bench.readBlob(record);
    const { facts, ...read } = await bench.read(record);
    const contextText = read.contextText();
    // The envelope of a compacted checkpoint has no canonical digest, so compute it.
    const canonicalDigest = facts.canonicalDigest ?? sha256.sha256(canonicalJson(JSON.parse(contextText) as Context));
    const expected = Object.fromEntries(Object.keys(facts).map((fact) => [fact, record[fact as keyof CheckpointRecord]]));
    mustEqual({ ...facts, canonicalDigest }, expected, `the envelope of ${record.id}`);
    texts.set(record.id, contextText);
  }
  for (const [sessionId, ofSession] of Map.groupBy(records, ({ sessionId }) => sessionId))
    await proveSession(storage, sessionId, ofSession);
  await proveTotals(storage, records, filter);
  return { records, texts };
}

/** Checks totals, which a catalog may store instead of counting: they must follow all changes of checkpoints. */
async function proveTotals(storage: StorageInUse, records: readonly CheckpointRecord[], filter: CheckpointFilter): Promise<void> {
  const filters: CheckpointFilter[] = [filter];
  for (const kind of CHECKPOINT_KINDS) filters.push({ ...filter, kinds: [kind] });
  for (const project of new Set(records.map((record) => record.project))) filters.push({ ...filter, project });
  for (const sessionId of new Set(records.map((record) => record.sessionId))) filters.push({ sessionId });
  for (const each of filters) {
    const { total } = await storage.catalog.list({ filter: each, limit: 1, offset: 0 });
    const counted = records.filter((record) => matchesFilter(record, [], each));
    mustEqual(total, counted.length, `the total of ${JSON.stringify(each)}`);
  }
}

async function proveSession(storage: StorageInUse, sessionId: SessionId, records: readonly CheckpointRecord[]): Promise<void> {
  for (const [index, { sequence }] of records.entries()) {
    const before = records[index - 1]?.sequence ?? 0;
    if (sequence <= before) throw new Error(`Session ${sessionId} has sequence ${sequence} after ${before}.`);
  }
  const head = records.findLast(({ kind }) => kind !== "aside");
  mustEqual((await storage.catalog.head(sessionId))?.id, head?.id, `the head of ${sessionId}`);
  const session = await storage.catalog.session(sessionId);
  const asideCount = records.filter(({ kind }) => kind === "aside").length;
  const totalSizeBytes = records.reduce((sum, { blobBytes }) => sum + blobBytes, 0);
  mustEqual(
    { checkpointCount: session?.checkpointCount, asideCount: session?.asideCount, totalSizeBytes: session?.totalSizeBytes },
    { checkpointCount: records.length - asideCount, asideCount, totalSizeBytes },
    `session ${sessionId}`,
  );
}

function mustEqual(actual: unknown, expected: unknown, what: string): void {
  if (JSON.stringify(actual) !== JSON.stringify(expected)) {
    throw new Error(`${what} is ${JSON.stringify(actual)} instead of ${JSON.stringify(expected)}.`);
  }
}
