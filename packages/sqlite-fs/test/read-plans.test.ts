import path from "node:path";
import type { AuditEvent, CheckpointId, SessionId } from "@workrail/core";
import { expect, it } from "vitest";
import { BUILT_STATEMENTS } from "../src/built-statements.ts";
import { noting } from "./noting-driver.ts";
import { openDatabase, withDatabase } from "./open-database.ts";
import { SESSION, type TestStore, withStore } from "./test-store.ts";

const AT = new Date();
const OTHER = "other" as SessionId;
const EVENT: AuditEvent = { at: AT, action: "quarantine", sessionId: SESSION, checkpointId: undefined, agentId: undefined };

it("finds the rows that a rule reads by an index, sorts none, and needs no query builder", async () => {
  const texts = new Set<string>();
  let isNoting = false;
  const note = (text: string): void => void (isNoting && /^select/iu.test(text) && texts.add(text));
  const noted = noting(openDatabase, note);
  await withStore(
    async (store) => {
      isNoting = true;
      await runEveryRule(store);
      isNoting = false;
      const inAdvance = new Set(Object.values(BUILT_STATEMENTS).map(({ sql }) => sql));
      expect([...texts].filter((text) => isBuilt(text) && !inAdvance.has(text))).toEqual([]);
      withDatabase(path.join(store.dataDir, "workrail.db"), (database) => {
        const plans = [...texts].map((text) => {
          const nulls = Array<null>(text.split("?").length - 1).fill(null);
          const steps = database.prepare(`EXPLAIN QUERY PLAN ${text}`).all(...nulls) as readonly { readonly detail: string }[];
          return { text, plan: steps.map(({ detail }) => detail).join("; ") };
        });
        const used = plans.map(({ plan }) => plan).join("; ");
        for (const index of ["checkpoint_aside", "checkpoint_shielded", "checkpoint_damaged"]) expect(used).toContain(index);
        expect(plans.filter(({ text, plan }) => isSlow(plan) && !READS_ALL.some((start) => text.startsWith(start)))).toEqual([]);
      });
    },
    { maxCheckpoints: 3, openDatabase: (file, busyMs) => (path.basename(file) === "workrail.db" ? noted : openDatabase)(file, busyMs) },
  );
});

/** True for SQL of the query builder, which quotes all names. */
function isBuilt(text: string): boolean {
  return text.includes('from "');
}

/** Tables that grow with the store. The last row of the audit log is found without an index: the table is in its order. */
function isSlow(plan: string): boolean {
  return /SCAN (checkpoint|session|trashed|edge|pending_removal)\b|TEMP B-TREE/u.test(plan);
}

/** Pending removals of the whole store, and the sessions in whose directories blobs are that no row names. */
const READS_ALL = [
  'select "blob", "checkpoint_id" as "checkpointId", "session_id" as "sessionId", "is_done" as "isDone" from "pending_removal" where ("is_done" = 0 and not exists',
  "SELECT id FROM session",
];

async function runEveryRule(store: TestStore): Promise<void> {
  const { catalog, blobs } = store.storage;
  const ids: CheckpointId[] = [];
  for (let number = 1; number <= 6; number++) ids.push((await store.save({ number })).record.id);
  await store.save({ aside: true }, { kind: "aside" });
  const { record } = await store.save({ other: true }, { sessionId: OTHER, checkpointId: "other" as CheckpointId });
  const [one, two] = ids.slice(-2) as [CheckpointId, CheckpointId];
  const edge = { dependent: one, base: two };
  // A load asks for the session with its damaged count.
  await catalog.session(SESSION);
  await catalog.commit({ tags: { sessionId: SESSION, add: ["tag"], remove: [] }, edges: { add: [edge], drop: [] }, audit: [] });
  await catalog.commit({ shields: [{ checkpointId: one, until: AT }], accesses: [{ checkpointId: one, at: AT }], audit: [] });
  await catalog.commit({ edges: { add: [], drop: [edge] }, audit: [] });
  const move = { sessionId: SESSION, checkpoints: [one, two], at: AT, reason: "test" } as const;
  await catalog.commit({ move: { ...move, from: "live", to: "trash" }, audit: [] });
  await catalog.commit({ move: { ...move, from: "trash", to: "live" }, audit: [] });
  await catalog.commit({ move: { ...move, from: "live", to: "nowhere", erases: true }, audit: [] });
  await catalog.reclaim(undefined, (ref) => blobs.remove(ref));
  await catalog.reclaim([blobs.refOf({ sessionId: SESSION, checkpointId: "stray" as CheckpointId })], (ref) => blobs.remove(ref));
  await catalog.commit({ erased: [one], forget: { sessions: [SESSION, OTHER], unusedSince: AT, at: AT }, audit: [] });
  await catalog.replaceBlob(record, record, async () => {});
  await catalog.markDamaged(record, EVENT, async () => true);
  await catalog.holdRemovals("test", AT);
  await catalog.releaseRemovals("test");
  await catalog.cutAudit({ before: AT, at: AT, limit: 2 });
}
