import { hash } from "node:crypto";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { type FileSystem, nodeFileSystem } from "@workrail/blob-files";
import { type CheckpointId, type CheckpointRecord, isWorkrailError, type SessionId } from "@workrail/core";
import { aRecord } from "@workrail/storage-conformance/builders";
import { storageInUse, type StorageInUse } from "@workrail/storage-conformance/harness";
import { describe, expect, it } from "vitest";
import { openFilesStorage } from "../src/open-files-storage.ts";

const S = "session" as SessionId;

async function withDirectory<T>(work: (dataDir: string) => Promise<T>): Promise<T> {
  const directory = fs.mkdtempSync(path.join(os.tmpdir(), "workrail-journal-"));
  try {
    return await work(path.join(directory, "data"));
  } finally {
    fs.rmSync(directory, { recursive: true, force: true });
  }
}

async function using<T>(dataDir: string, work: (storage: StorageInUse) => Promise<T>, files?: FileSystem): Promise<T> {
  const storage = storageInUse(await openFilesStorage({ dataDir, ...(files === undefined ? {} : { fs: files }) }));
  try {
    return await work(storage);
  } finally {
    await storage.close();
  }
}

/** Stores a blob and commits its checkpoint. */
async function append(storage: StorageInUse, id: string, tags: readonly string[] = []): Promise<CheckpointRecord> {
  const key = { sessionId: S, checkpointId: id as CheckpointId };
  const blob = await storage.blobs.put(key, Buffer.from(id));
  if (blob === undefined) throw new Error("There is such a blob.");
  const record = aRecord({ id: key.checkpointId, sessionId: S, blob, tags });
  const outcome = await storage.catalog.commit({
    append: { record, unlessHeadIs: undefined, expectedHead: undefined, keepNewest: undefined },
    audit: [{ at: record.createdAt, action: "save", sessionId: S, checkpointId: record.id, agentId: undefined }],
  });
  if (outcome.status !== "committed" || outcome.record === undefined) throw new Error(`It was ${outcome.status}.`);
  return outcome.record;
}

async function ids(storage: StorageInUse): Promise<readonly string[]> {
  const { records } = await storage.catalog.list({ filter: {}, limit: 100, offset: 0 });
  return records.map(({ id }) => id).toReversed();
}

async function answersOf({ catalog }: StorageInUse) {
  return {
    live: await catalog.list({ filter: {}, limit: 100, offset: 0 }),
    trash: await catalog.trash({ limit: 100 }),
    sessions: await catalog.sessions({ limit: 100 }),
    usage: await catalog.usage(),
    erasures: await catalog.erasures(),
    audit: await catalog.auditLog({ first: "oldest" }),
    breaks: (await catalog.checkAudit({ limit: 100 })).breaks,
    discrepancies: await catalog.reconcile(false),
  };
}

async function failureOf(work: Promise<unknown>): Promise<object> {
  const error: unknown = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  return isWorkrailError(error) ? { ...error.details, code: error.code } : { error };
}

/** Creates a store with three checkpoints, and returns the journal's lines with their line feeds. */
async function leaveThree(dataDir: string): Promise<readonly string[]> {
  await using(dataDir, async (storage) => {
    for (const id of ["a", "b", "c"]) await append(storage, id);
  });
  return fs.readFileSync(journalOf(dataDir), "utf8").match(/.*\n/g) ?? [];
}

function journalOf(dataDir: string): string {
  return path.join(dataDir, "catalog.jsonl");
}

describe("a journal", () => {
  it.each([
    ["half a line", (line: string) => line.slice(0, line.length / 2)],
    ["zeros", (line: string) => "\0".repeat(line.length)],
  ])("that ends in %s, which was never acknowledged, is read up to there, and continued", (_, tear) =>
    withDirectory(async (dataDir) => {
      const lines = await leaveThree(dataDir);
      fs.writeFileSync(journalOf(dataDir), lines.slice(0, 2).join("") + tear(lines[2] ?? ""));
      await using(dataDir, async (storage) => {
        expect(await ids(storage)).toEqual(["a", "b"]);
        await append(storage, "d");
      });
      await using(dataDir, async (storage) => {
        expect(await ids(storage)).toEqual(["a", "b", "d"]);
        expect(await storage.catalog.head(S)).toMatchObject({ id: "d", sequence: 3 });
      });
    }),
  );

  it.each<readonly [string, Buffer]>([
    ["lacks nothing but its end", Buffer.of()],
    ...Array.from({ length: 8 }, (_, bit) => [`ends in a line feed whose bit ${bit} is flipped`, Buffer.of(0x0a ^ (1 << bit))] as const),
  ])("whose last line %s keeps that line", (_, end) =>
    withDirectory(async (dataDir) => {
      const lines = await leaveThree(dataDir);
      fs.writeFileSync(journalOf(dataDir), Buffer.concat([Buffer.from(lines.join("").trimEnd()), end]));
      for (const id of ["d", "e"]) await using(dataDir, (storage) => append(storage, id));
      await using(dataDir, async (storage) => expect(await ids(storage)).toEqual(["a", "b", "c", "d", "e"]));
    }),
  );

  it.each<[string, (lines: readonly string[]) => readonly string[]]>([
    ["a line is changed", ([one = "", two = "", three = ""]) => [one, two.replace(`"kind":"workflow"`, `"kind":"workfl0w"`), three]],
    ["the last line is changed", ([one = "", two = "", three = ""]) => [one, two, three.replace(`"sequence":3`, `"sequence":4`)]],
    ["a line is missing", ([one = "", , three = ""]) => [one, three]],
    ["a line is there twice", ([one = "", two = "", three = ""]) => [one, two, two, three]],
    ["it is another file", () => ["nothing of ours\n"]],
  ])("is detected as damaged when %s; a rebuild replaces it, and keeps it", (_, damage) =>
    withDirectory(async (dataDir) => {
      const damaged = damage(await leaveThree(dataDir)).join("");
      fs.writeFileSync(journalOf(dataDir), damaged);
      await using(dataDir, async (storage) => {
        expect(await failureOf(ids(storage))).toMatchObject({ code: "STORAGE_UNAVAILABLE", reason: "catalog-damaged" });
        expect(await failureOf(append(storage, "d"))).toMatchObject({ code: "STORAGE_UNAVAILABLE", reason: "catalog-damaged" });
        expect(await storage.recovery.needsRebuild()).toBe(true);
        const at = new Date(0);
        const audit = { at, action: "rebuild", sessionId: undefined, checkpointId: undefined, agentId: undefined } as const;
        await storage.recovery.refill([aRecord({ id: "a" as CheckpointId, sessionId: S })], [], audit);
        expect(await storage.recovery.needsRebuild()).toBe(false);
        expect(await ids(storage)).toEqual(["a"]);
      });
      await using(dataDir, async (storage) => expect(await ids(storage)).toEqual(["a"]));
      expect(fs.readFileSync(`${journalOf(dataDir)}.replaced-1`, "utf8")).toBe(damaged);
    }),
  );

  it("of a newer version is left alone", () =>
    withDirectory(async (dataDir) => {
      await leaveThree(dataDir);
      const change = `{"format":2,"revision":1}`;
      const newer = `{"check":"${hash("sha256", change).slice(0, 16)}","change":${change}}\n`;
      fs.writeFileSync(journalOf(dataDir), newer);
      expect(await failureOf(using(dataDir, ids))).toMatchObject({ code: "UNSUPPORTED_VERSION", format: 2, supported: 1 });
      expect(fs.readFileSync(journalOf(dataDir), "utf8")).toBe(newer);
    }));

  it("keeps the removals of equal ids in two sessions apart", () =>
    withDirectory(async (dataDir) => {
      const id = "same" as CheckpointId;
      const removed = async (storage: StorageInUse, sessionId: SessionId): Promise<void> => {
        const blob = await storage.blobs.put({ sessionId, checkpointId: id }, Buffer.of(1));
        if (blob === undefined) throw new Error("There is such a blob.");
        const append = {
          record: aRecord({ id, sessionId, blob }),
          unlessHeadIs: undefined,
          expectedHead: undefined,
          keepNewest: undefined,
        };
        await storage.catalog.commit({ append, audit: [] });
        const move = { sessionId, checkpoints: [id], at: new Date(0), reason: "test", from: "live", to: "nowhere" } as const;
        await storage.catalog.commit({ move, audit: [] });
      };
      await using(dataDir, async (storage) => {
        await removed(storage, S);
        await removed(storage, "other" as SessionId);
      });
      await using(dataDir, async (storage) => {
        expect((await storage.catalog.usage()).pendingRemovals).toBe(2);
        // The removal ends when the id is saved again to its session.
        const record = aRecord({ id, sessionId: S, blob: storage.blobs.refOf({ sessionId: S, checkpointId: id }) });
        const append = { record, unlessHeadIs: undefined, expectedHead: undefined, keepNewest: undefined };
        await storage.catalog.commit({ append, audit: [] });
      });
      await using(dataDir, async (storage) => {
        const removals: string[] = [];
        await storage.catalog.reclaim(undefined, async (refs) => void removals.push(...refs));
        expect(removals).toEqual([storage.blobs.refOf({ sessionId: "other" as SessionId, checkpointId: id })]);
      });
    }));

  it("of an earlier version is read: with nulls for unknown keys, and audit rows before the chain", () =>
    withDirectory(async (dataDir) => {
      await leaveThree(dataDir);
      const old = { at: new Date(0), action: "save", sessionId: S, checkpointId: "a" };
      const lines = [
        { lastCommit: 0, sessions: [], audit: [old] },
        { lastCommit: 0, removals: [["c", null]], trash: [["c", null]], audit: [old] },
      ];
      const encoded = lines.map((entries, index) => {
        const change = JSON.stringify({ format: 1, revision: index + 1, ...entries });
        return `{"check":"${hash("sha256", change).slice(0, 16)}","change":${change}}\n`;
      });
      fs.writeFileSync(journalOf(dataDir), encoded.join(""));
      await using(dataDir, async (storage) => {
        await append(storage, "d");
        expect((await storage.catalog.auditLog({ first: "oldest" })).map(({ number, digest }) => [number, digest === undefined])).toEqual([
          [1, true],
          [2, true],
          [3, false],
        ]);
        expect((await storage.catalog.checkAudit({ limit: 9 })).breaks).toEqual([]);
      });
    }));

  it("has the audit row of a save behind those of the checkpoints that it prunes", () =>
    withDirectory(async (dataDir) => {
      await leaveThree(dataDir);
      await using(dataDir, async (storage) => {
        const blob = await storage.blobs.put({ sessionId: S, checkpointId: "d" as CheckpointId }, Buffer.of(1));
        if (blob === undefined) throw new Error("There is such a blob.");
        const record = aRecord({ id: "d" as CheckpointId, sessionId: S, blob });
        const event = { at: record.createdAt, action: "save", sessionId: S, checkpointId: record.id, agentId: undefined } as const;
        const append = { record, unlessHeadIs: undefined, expectedHead: undefined, keepNewest: 2 };
        await storage.catalog.commit({ append, audit: [event] });
      });
      await using(dataDir, async (storage) => {
        const rows = await storage.catalog.auditLog({ first: "oldest", after: 3 });
        expect(rows.map(({ action, checkpointId }) => [action, checkpointId])).toEqual([
          ["prune", "a"],
          ["prune", "b"],
          ["save", "d"],
        ]);
      });
    }));

  it("reports every kind of change", () =>
    withDirectory(async (dataDir) => {
      const at = new Date(0);
      const [a, b, c, d, e] = ["a", "b", "c", "d", "e"] as CheckpointId[] as [
        CheckpointId,
        CheckpointId,
        CheckpointId,
        CheckpointId,
        CheckpointId,
      ];
      const move = { sessionId: S, at, reason: "test" };
      await leaveThree(dataDir);
      const before = await using(dataDir, async (storage) => {
        const { catalog } = storage;
        for (const id of [d, e]) await append(storage, id);
        await catalog.commit({ move: { ...move, checkpoints: [a, b], from: "live", to: "trash" }, audit: [] });
        await catalog.commit({ move: { ...move, checkpoints: [a], from: "trash", to: "live" }, audit: [] });
        await catalog.commit({ move: { ...move, checkpoints: [c], from: "live", to: "nowhere", erases: true }, audit: [] });
        await catalog.commit({
          pins: { sessionId: S, pin: ["plan"], release: [] },
          tags: { sessionId: S, add: ["x"], remove: [] },
          audit: [],
        });
        await catalog.commit({ edges: { add: [{ dependent: a, base: d }], drop: [] }, audit: [] });
        await catalog.commit({
          shields: [{ checkpointId: d, until: new Date(5) }],
          accesses: [{ checkpointId: a, at: new Date() }],
          audit: [],
        });
        const record = await catalog.find(d);
        if (record === undefined) throw new Error("There is no such record.");
        await catalog.replaceBlob(record, { blobBytes: 1, baseId: a, keyId: null }, async () => {});
        const damaged = { ...record, blobBytes: 1, baseId: a };
        const audit = { at, action: "quarantine", sessionId: S, checkpointId: d, agentId: undefined } as const;
        expect(await catalog.markDamaged(damaged, audit, async () => true)).toBe(true);
        await catalog.holdRemovals("backup", new Date(8_000_000_000_000));
        expect(await catalog.cutAudit({ before: new Date(8_000_000_000_000), at, limit: 2 })).toBe(2);
        await catalog.reconcile(true);
        return answersOf(storage);
      });
      expect(await using(dataDir, answersOf)).toEqual(before);
      expect(before.usage).toMatchObject({ trashed: 1, damaged: 1, pendingRemovals: 1, removalsHeldUntil: new Date(8_000_000_000_000) });
      await using(dataDir, (storage) => storage.purge?.() ?? Promise.resolve([]));
      expect(await using(dataDir, answersOf)).toEqual(before);
    }));

  it("is rewritten when it has grown, with the same content", () =>
    withDirectory(async (dataDir) => {
      const large = "x".repeat(300_000);
      const before = await using(dataDir, async (storage) => {
        for (const id of ["a", "b", "c", "d", "e"]) await append(storage, id, [`${id}${large}`]);
        return storage.catalog.list({ filter: {}, limit: 100, offset: 0 });
      });
      expect(fs.readFileSync(journalOf(dataDir), "utf8").match(/\n/g)).toHaveLength(1);
      await using(dataDir, async (storage) => {
        expect(await storage.catalog.list({ filter: {}, limit: 100, offset: 0 })).toEqual(before);
        await append(storage, "f");
      });
      expect(fs.readFileSync(journalOf(dataDir), "utf8").match(/\n/g)).toHaveLength(2);
    }));

  it("that was removed under a running process makes its next change fail", () =>
    withDirectory(async (dataDir) => {
      await leaveThree(dataDir);
      await using(dataDir, async (storage) => {
        await append(storage, "d");
        fs.rmSync(journalOf(dataDir));
        expect(await failureOf(append(storage, "e"))).toMatchObject({ code: "STORAGE_UNAVAILABLE", reason: "catalog-lost" });
        expect(await storage.recovery.needsRebuild()).toBe(true);
        expect(fs.existsSync(journalOf(dataDir))).toBe(false);
      });
    }));
});

describe("a change", () => {
  it("is invisible before it is durable", () =>
    withDirectory(async (dataDir) => {
      const written = Promise.withResolvers<void>();
      const goOn = Promise.withResolvers<void>();
      let journal: number | undefined;
      const files: FileSystem = {
        ...nodeFileSystem,
        append: (file) => (journal = nodeFileSystem.append(file)),
        async sync(fd) {
          await nodeFileSystem.sync(fd);
          if (fd !== journal) return;
          written.resolve();
          await goOn.promise;
        },
      };
      await leaveThree(dataDir);
      await using(
        dataDir,
        async (storage) => {
          const appending = append(storage, "d");
          await written.promise;
          let isSeen = false;
          const looking = storage.catalog.head(S).then((head) => {
            isSeen = true;
            return head?.id;
          });
          await new Promise((resolve) => setImmediate(resolve));
          expect(isSeen).toBe(false);
          goOn.resolve();
          await appending;
          expect(await looking).toBe("d");
        },
        files,
      );
    }));

  it("that fails when its success cannot be checked is reported with an unknown outcome", () =>
    withDirectory(async (dataDir) => {
      let isBroken = false;
      const refuse = (): never => {
        throw Object.assign(new Error("EIO: injected"), { code: "EIO" });
      };
      const files: FileSystem = {
        ...nodeFileSystem,
        append: (file) => {
          isBroken = true;
          return nodeFileSystem.append(file);
        },
        write: (fd, bytes) => (isBroken ? refuse() : nodeFileSystem.write(fd, bytes)),
        read: (file) => (isBroken ? refuse() : nodeFileSystem.read(file)),
      };
      await leaveThree(dataDir);
      await using(
        dataDir,
        async (storage) => {
          expect(await failureOf(append(storage, "d"))).toMatchObject({ code: "STORAGE_UNAVAILABLE", outcome: "unknown" });
          isBroken = false;
          expect(await ids(storage)).toEqual(["a", "b", "c"]);
        },
        files,
      );
    }));

  it("is refused once the store is closed", () =>
    withDirectory(async (dataDir) => {
      const storage = storageInUse(await openFilesStorage({ dataDir }));
      await storage.close();
      expect(await failureOf(append(storage, "a"))).toMatchObject({ code: "STORAGE_UNAVAILABLE", reason: "closed" });
    }));
});
