import {
  auditRows,
  type BlobRef,
  type BlobStore,
  type CatalogPort,
  chained,
  type CheckpointRecord,
  commit,
  findCheckpoint,
  type LoggedEvent,
  type CheckpointId,
  type SessionId,
} from "@workrail/core";
import { aRecord, SteppingClock } from "@workrail/storage-conformance/builders";
import { openMemoryStorage } from "@workrail/memory";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { AccessRecorder } from "./access-recorder.ts";
import { nodeDigests } from "./environment.ts";

describe("loads", () => {
  /** Audit rows of each change. */
  const changes: (readonly LoggedEvent[])[] = [];
  let catalog: CatalogPort;
  let blobs: BlobStore;
  let works: (() => Promise<void>)[] = [];
  let recorder: AccessRecorder;
  /** Awaited by each commit; a rejection makes the commit fail. */
  let disk: Promise<void>;

  beforeEach(() => {
    vi.useFakeTimers();
    changes.length = 0;
    works = [];
    disk = Promise.resolve();
    const storage = chained(openMemoryStorage(), (text) => nodeDigests.sha256(text));
    ({ blobs } = storage);
    catalog = {
      read: (reads) => storage.catalog.read(reads),
      async change(rule) {
        await disk;
        const [last] = await auditRows(storage.catalog, { limit: 1 });
        const outcome = await storage.catalog.change(rule);
        changes.push(await auditRows(storage.catalog, { first: "oldest", after: last?.number }));
        return outcome;
      },
    };
    recorder = new AccessRecorder({
      catalog,
      locking: storage.locking,
      clock: new SteppingClock(),
      background: { run: (_, work) => void works.push(work) },
    });
  });

  afterEach(() => {
    vi.useRealTimers();
  });

  const work = async (): Promise<void> => {
    for (const each of works) await each();
  };

  it("are recorded together, a second after the first, each with its time and its row in the audit log", async () => {
    recorder.record(recordOf("a"));
    vi.advanceTimersByTime(900);
    recorder.record(recordOf("b"));
    expect(works).toHaveLength(0);
    vi.advanceTimersByTime(100);
    await work();
    const [first, second] = ["2026-01-01T00:00:00.000Z", "2026-01-01T00:00:01.000Z"].map((time) => new Date(time));
    expect(changes).toMatchObject([
      [
        { at: first, action: "load", sessionId: "session", checkpointId: "a", agentId: undefined },
        { at: second, action: "load", sessionId: "session", checkpointId: "b", agentId: undefined },
      ],
    ]);
  });

  it("are the last activity of their checkpoint", async () => {
    const checkpointId = "a" as CheckpointId;
    const blob = await blobs.put({ sessionId: "session" as SessionId, checkpointId }, new Uint8Array(1));
    const record = aRecord({ id: checkpointId, sessionId: "session" as SessionId, blob: blob as BlobRef });
    const append = { record, unlessHeadIs: undefined, expectedHead: undefined, keepNewest: undefined };
    await catalog.change(commit({ append, audit: [] }));
    vi.advanceTimersByTime(100);
    recorder.record(recordOf("a"));
    await recorder.write();
    const [row] = changes.at(-1) ?? [];
    expect((await findCheckpoint(catalog, checkpointId))?.lastAccessedAt).toEqual(row?.at);
  });

  it("are recorded at once when they are many", async () => {
    for (let count = 0; count < 1_000; count++) recorder.record(recordOf("a"));
    await work();
    expect(changes.map((rows) => rows.length)).toEqual([1_000]);
    vi.advanceTimersByTime(5_000);
    expect(works).toHaveLength(1);
  });

  it("are durable after a flush, also those that are being written at that moment", async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    disk = promise;
    recorder.record(recordOf("a"));
    recorder.flush();
    const flushed = work();
    let isDone = false;
    const asked = (async () => {
      await recorder.write();
      isDone = true;
    })();
    await vi.advanceTimersByTimeAsync(10);
    expect([isDone, changes.length]).toEqual([false, 0]);
    resolve();
    await Promise.all([flushed, asked]);
    expect(changes).toHaveLength(1);
  });

  it("that could not be recorded are recorded with the next ones; of many, only the newest", async () => {
    disk = Promise.reject(new Error("the disk is gone"));
    for (const id of ["a", "b"]) recorder.record(recordOf(id));
    await expect(recorder.write()).rejects.toThrow("the disk is gone");
    recorder.record(recordOf("c"));
    await expect(recorder.write()).rejects.toThrow("the disk is gone");
    disk = Promise.resolve();
    await recorder.write();
    expect(changes.map((rows) => rows.map(({ checkpointId }) => checkpointId))).toEqual([["a", "b", "c"]]);

    disk = Promise.reject(new Error("the disk is gone"));
    for (let count = 0; count < 999; count++) recorder.record(recordOf(`${count}`));
    await expect(recorder.write()).rejects.toThrow("the disk is gone");
    disk = Promise.resolve();
    await recorder.write();
    expect(changes.at(-1)).toHaveLength(500);
    expect(changes.at(-1)?.at(-1)?.checkpointId).toBe("998");
  });

  it("are recorded by a flush, which does nothing without loads", async () => {
    recorder.flush();
    expect(works).toHaveLength(0);
    recorder.record(recordOf("a"));
    recorder.flush();
    recorder.flush();
    vi.advanceTimersByTime(5_000);
    await work();
    expect(changes).toHaveLength(1);
  });
});

function recordOf(id: string): CheckpointRecord {
  const record = aRecord({ id: id as never, sessionId: "session" as never });
  return { ...record, sequence: 1, lastAccessedAt: record.createdAt, damaged: false, shieldedUntil: undefined };
}
