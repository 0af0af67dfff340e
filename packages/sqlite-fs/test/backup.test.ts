import fs from "node:fs";
import path from "node:path";
import { BackupDirectory, restoreToNewPlace, StoredBackup } from "@workrail/blob-files";
import type { BackupTarget, BlobStore, CheckpointId, SessionId } from "@workrail/core";
import { describe, expect, it } from "vitest";
import { Child } from "./child-process.ts";
import { growingContext } from "./growing-context.ts";
import { openDatabase } from "./open-database.ts";
import { PATIENT, SESSION, type TestStore, withDirectory, withOpened } from "./test-store.ts";
import { IS_LONG } from "../../storage-conformance/test/long-form.ts";

/** `npm run test:faults` starts more. */
const PROCESSES = IS_LONG ? 8 : 3;
const PRUNED = "pruned" as SessionId;

/** Runs a test with a data directory and places for backups. */
async function withPlaces(test: (dataDir: string, place: (name: string) => string) => Promise<void>): Promise<void> {
  await withDirectory((directory) => test(path.join(directory, "data"), (name) => path.join(directory, name)));
}

async function backUp(store: TestStore, directory: string): ReturnType<TestStore["backup"]> {
  return store.backup(await BackupDirectory.create({ directory, dataDir: store.dataDir }));
}

/** Restores a backup, verifies everything in it, and opens the result. */
async function withRestored<T>(backup: string, dataDir: string, work: (store: TestStore) => Promise<T>): Promise<T> {
  const stored = await StoredBackup.open(backup);
  await stored.check();
  await restoreToNewPlace(stored, dataDir);
  return withOpened(dataDir, async (store) => {
    await store.recover();
    expect((await store.verify()).findings).toEqual([]);
    return work(store);
  });
}

async function idsOf(store: TestStore, sessionId: SessionId = SESSION): Promise<readonly CheckpointId[]> {
  const { records } = await store.storage.catalog.list({ filter: { sessionId }, limit: 10_000, offset: 0 });
  return records.map(({ id }) => id);
}

/** Saves growing contexts and compacts them: the two newest are stored whole, the others as deltas. */
async function saveGrowing(store: TestStore, count: number): Promise<CheckpointId[]> {
  const ids: CheckpointId[] = [];
  for (let number = 1; number <= count; number++) ids.push((await store.save(growingContext("w", number))).record.id);
  await store.compact();
  return ids;
}

/** A target whose blob store has some methods replaced, to inject faults. */
function withBlobs(target: BackupTarget, blobs: Partial<BlobStore>): BackupTarget {
  const bound = new Proxy(target.blobs, {
    get(of, name): unknown {
      const member: unknown = Reflect.get(blobs, name) ?? Reflect.get(of, name);
      return typeof member === "function" ? member.bind(of) : member;
    },
  });
  return {
    blobs: bound,
    writeFacts: (facts) => target.writeFacts(facts),
    finish: (contents) => target.finish(contents),
    discard: () => target.discard(),
  };
}

describe(`a backup of a store that ${PROCESSES} processes save to, prune and compact`, () => {
  it("holds every checkpoint that was acknowledged before it began, exactly", () =>
    withPlaces(async (dataDir, place) => {
      const children = Array.from({ length: PROCESSES }, (_, index) =>
        Child.start({ type: "compact", dataDir, writer: `writer ${index}`, sessions: [SESSION, PRUNED], most: 10_000 }),
      );
      try {
        await Promise.all(children.map((child) => child.told(8)));
        const acknowledged = children.flatMap(({ lines }, index) => lines.map((line) => [`writer ${index}`, ...line.split(" ")] as const));
        const stillThere = await withOpened(
          dataDir,
          async (store) => {
            expect((await backUp(store, place("backup"))).unreadable).toEqual([]);
            return new Set(await idsOf(store, PRUNED));
          },
          PATIENT,
        );
        await Promise.all(children.map((child) => child.kill()));
        await withRestored(place("backup"), place("restored"), async (store) => {
          for (const [writer, sessionId, id, number] of acknowledged) {
            // Checkpoints of the pruned session may have been removed before the backup began.
            if (sessionId === PRUNED && !stillThere.has(id as CheckpointId)) continue;
            const { context } = await store.load({ checkpointId: id as CheckpointId });
            expect(context).toEqual(growingContext(writer, Number(number)));
          }
          expect(await idsOf(store, PRUNED)).not.toEqual([]);
        });
      } finally {
        await Promise.all(children.map((child) => child.kill()));
      }
    }));
});

describe("a backup", () => {
  it("brings back pins, tags and the trash, and nothing that was removed", () =>
    withPlaces(async (dataDir, place) => {
      await withOpened(dataDir, async (store) => {
        const [first, base, third, trashed, head] = await saveGrowing(store, 5);
        const { catalog } = store.storage;
        expect((await catalog.find(first as CheckpointId))?.baseId).toBe(base);
        await store.pin("last");
        await catalog.commit({ tags: { sessionId: SESSION, add: ["kept tag"], remove: [] }, audit: [] });
        const at = new Date("2026-01-31T12:00:00.000Z");
        const move = { sessionId: SESSION, at, reason: "test", from: "live" } as const;
        await catalog.commit({ move: { ...move, to: "nowhere", checkpoints: [base as CheckpointId] }, audit: [] });
        await catalog.commit({ move: { ...move, to: "trash", checkpoints: [trashed as CheckpointId] }, audit: [] });
        const before = { session: await catalog.session(SESSION), trash: await catalog.trash({ limit: 10 }) };
        expect(await backUp(store, place("backup"))).toMatchObject({ checkpoints: 3, trashed: 1, sessions: 1, unreadable: [] });

        await withRestored(place("backup"), place("restored"), async (restored) => {
          expect(await idsOf(restored)).toEqual([head, third, first]);
          expect((await restored.load({ checkpointId: first as CheckpointId })).context).toEqual(growingContext("w", 1));
          const { session, trash } = before;
          expect(await restored.storage.catalog.session(SESSION)).toEqual({ ...session, lastAccessedAt: expect.any(Date) });
          const found = await restored.storage.catalog.trash({ limit: 10 });
          expect(found.entries.map(({ record, trashedAt }) => [record.id, trashedAt])).toEqual([[trashed, at]]);
          expect(trash.entries).toHaveLength(1);
        });
      });
    }));

  it("is recorded in the audit log when it is complete", () =>
    withPlaces(async (dataDir, place) => {
      await withOpened(dataDir, async (store) => {
        await store.save({ n: 1 });
        await backUp(store, place("backup"));
      });
      const audit = auditOf(dataDir);
      expect(audit).toEqual(["save", "backup"]);
    }));

  it("copies a blob again when it did not read back as saved", () =>
    withPlaces(async (dataDir, place) => {
      await withOpened(dataDir, async (store) => {
        const [, second] = await saveGrowing(store, 4);
        const target = await BackupDirectory.create({ directory: place("backup"), dataDir });
        const put: BlobStore["put"] = (key, bytes) =>
          target.blobs.put(key, key.checkpointId === second ? bytes.map((byte, index) => (index === 200 ? byte ^ 1 : byte)) : bytes);
        const report = await store.backup(withBlobs(target, { put }));
        expect(report).toMatchObject({ checkpoints: 4, unreadable: [] });
        await withRestored(place("backup"), place("restored"), async (restored) => expect(await idsOf(restored)).toHaveLength(4));
      });
    }));

  it("reports checkpoints that it cannot verify, and contains the others", () =>
    withPlaces(async (dataDir, place) => {
      await withOpened(dataDir, async (store) => {
        const [first, second, third] = await saveGrowing(store, 5);
        const file = path.join(dataDir, "contexts", SESSION, `${second}.json.gz`);
        const bytes = fs.readFileSync(file);
        bytes[200] = (bytes[200] ?? 0) ^ 1;
        fs.writeFileSync(file, bytes);
        const { checkpoints, unreadable } = await backUp(store, place("backup"));
        // The first checkpoint is stored against the second.
        expect({ checkpoints, unreadable: new Set(unreadable.map(({ checkpointId }) => checkpointId)) }).toEqual({
          checkpoints: 3,
          unreadable: new Set([first, second]),
        });
        await restoreToNewPlace(await StoredBackup.open(place("backup")), place("restored"));
        await withOpened(place("restored"), async (restored) => {
          expect((await restored.recover())?.unreadable).toHaveLength(2);
          expect(await restored.load({ checkpointId: third as CheckpointId })).toMatchObject({ context: growingContext("w", 3) });
        });
      });
    }));

  it("holds removals until its blobs are copied, and releases them afterwards", () =>
    withPlaces(async (dataDir, place) => {
      await withOpened(dataDir, async (store) => {
        const [first] = await saveGrowing(store, 3);
        const target = await BackupDirectory.create({ directory: place("backup"), dataDir });
        const file = path.join(dataDir, "contexts", SESSION, `${first}.json.gz`);
        const move = { sessionId: SESSION, checkpoints: [first as CheckpointId], at: new Date(), reason: "test" };
        let removal: Promise<unknown> | undefined;
        const remove = async (): Promise<void> => {
          await store.storage.catalog.commit({ move: { ...move, from: "live", to: "nowhere" }, audit: [] });
          await store.collectGarbage();
        };
        const put: BlobStore["put"] = async (key, bytes) => {
          await (removal ??= remove());
          return target.blobs.put(key, bytes);
        };
        expect(await store.backup(withBlobs(target, { put }))).toMatchObject({ checkpoints: 3, unreadable: [] });
        expect(fs.existsSync(file)).toBe(true);
        await store.collectGarbage();
        expect(fs.existsSync(file)).toBe(false);
      });
    }));

  it("that is aborted leaves no files and no hold", () =>
    withPlaces(async (dataDir, place) => {
      await withOpened(dataDir, async (store) => {
        const [first] = await saveGrowing(store, 3);
        for (const phase of ["copy", "verify"]) {
          const controller = new AbortController();
          const target = await BackupDirectory.create({ directory: place("backups/one"), dataDir });
          const onProgress = (progress: { phase: string; done: number }): void => {
            if (progress.phase === phase && progress.done === 2) controller.abort();
          };
          expect(await store.backup(target, { signal: controller.signal, onProgress })).toMatchObject({ isComplete: false });
          expect(fs.readdirSync(place("backups"))).toEqual([]);
        }
        const move = { sessionId: SESSION, checkpoints: [first as CheckpointId], at: new Date(), reason: "test" };
        await store.storage.catalog.commit({ move: { ...move, from: "live", to: "nowhere" }, audit: [] });
        expect((await store.collectGarbage()).blobs).toBe(1);
        expect(auditOf(dataDir)).not.toContain("backup");
      });
    }));

  it("that is killed leaves files that the next backup removes", () =>
    withPlaces(async (dataDir, place) => {
      await withOpened(dataDir, async (store) => {
        await saveGrowing(store, 3);
        const child = Child.start({ type: "backup", dataDir, directory: place("backups/one"), stopAt: 2 });
        expect(await child.told(1)).toBe("copy");
        await child.kill();
        expect(fs.readdirSync(place("backups"))).toEqual([expect.stringMatching(/^\.tmp-backup-/)]);
        expect(await backUp(store, place("backups/two"))).toMatchObject({ checkpoints: 3 });
        expect(fs.readdirSync(place("backups"))).toEqual(["two"]);
      });
    }));
});

function auditOf(dataDir: string): readonly string[] {
  const database = openDatabase(path.join(dataDir, "workrail.db"), 1_000);
  try {
    return (database.prepare("SELECT action FROM audit ORDER BY id").all() as readonly { action: string }[]).map(({ action }) => action);
  } finally {
    database.close();
  }
}
