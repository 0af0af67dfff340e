import { expect, it } from "vitest";
import type { AuditEvent } from "../model/audit.ts";
import type { BlobRef, CheckpointId, SessionId } from "../model/ids.ts";
import type { SessionFacts } from "../model/session.ts";
import { aRecord } from "../../../storage-conformance/src/builders.ts";
import { fill } from "./fill.ts";

const AT = new Date(0);
const AUDIT: AuditEvent = { at: AT, action: "rebuild", sessionId: undefined, checkpointId: undefined, agentId: undefined };

function facts(sessionId: string, more: Partial<SessionFacts> = {}): SessionFacts {
  const none = { tags: [], pins: [], tombstones: [], erasing: [], oldestLive: null, trash: [], shields: [] };
  return { sessionId: sessionId as SessionId, createdAt: AT, ...none, ...more };
}

it("keeps the removal and the erasure of an id that lives in another session", () => {
  const id = "id" as CheckpointId;
  const { rows } = fill(
    {
      records: [aRecord({ id, sessionId: "lives" as SessionId })],
      sessions: [facts("lives"), facts("removed", { tombstones: [id], erasing: [id] })],
      audit: AUDIT,
    },
    ({ sessionId, checkpointId }) => `${sessionId}/${checkpointId}` as BlobRef,
  );
  const gone = { blob: "removed/id", checkpointId: id, sessionId: "removed" };
  expect(rows.filter(({ table }) => table === "removal" || table === "erasure")).toEqual([
    { table: "removal", now: { ...gone, isDone: false } },
    { table: "erasure", now: gone },
  ]);
});
