import { type CheckpointId, commit, type SecretScreen, type SessionId } from "@workrail/core";
import { describe, expect, it } from "vitest";
import { SteppingClock } from "../builders.ts";
import type { StorageHarness } from "../harness.ts";
import { type StoreUnderTest, withStore } from "../store-under-test.ts";
import { codeOf, Workbench, type WorkbenchOptions } from "../workbench.ts";

const SESSION = "work" as SessionId;
const LIMIT = 3;
const DAY = 24 * 60 * 60 * 1_000;
const SECRET = "hunter2";

/** Tests options of a save: the caller's ids and order, a session that keeps everything, no search for secrets. */
export function describeOwnTerms(harness: StorageHarness): void {
  const onBench = (options: WorkbenchOptions, test: (bench: Workbench, store: StoreUnderTest) => Promise<void>) => () =>
    withStore(harness, async (store) => {
      const bench = new Workbench(store.storage, options);
      await test(bench, store);
      await bench.idle();
      expect((await bench.verify()).findings).toEqual([]);
    });

  describe("ids and order of the caller", () => {
    const BACKWARDS = { clock: new SteppingClock(new Date("2026-01-01T00:00:00.000Z"), -DAY) };

    it(
      "are kept, although ids and clock have another order",
      onBench(BACKWARDS, async (bench) => {
        const ids = ["z", "a", "m", "b"] as CheckpointId[];
        let last: CheckpointId | null = null;
        for (const [step, checkpointId] of ids.entries()) {
          const { record } = await bench.save({ sessionId: SESSION, checkpointId, parentId: last, context: { step } });
          expect(record.id).toBe(checkpointId);
          last = record.id;
        }
        const listed = async (): Promise<readonly string[]> => (await bench.list({ sessionId: SESSION })).map(({ id }) => id);
        expect(await listed()).toEqual(ids.toReversed());
        expect((await bench.load({ sessionId: SESSION })).record.id).toBe("b");
        await bench.rebuild();
        expect(await listed()).toEqual(ids.toReversed());
        for (const [step, checkpointId] of ids.entries()) expect((await bench.load({ checkpointId })).context).toEqual({ step });
      }),
    );

    it(
      "allow any existing parent, or none",
      onBench({}, async (bench) => {
        const first = (await bench.save({ sessionId: SESSION, context: { step: 1 } })).record.id;
        await bench.save({ sessionId: SESSION, context: { step: 2 } });
        const fork = await bench.save({ sessionId: SESSION, parentId: first, context: { step: 3 } });
        const root = await bench.save({ sessionId: SESSION, parentId: null, context: { step: 4 } });
        expect([fork.record.parentId, root.record.parentId]).toEqual([first, null]);
        const missing = { sessionId: SESSION, parentId: "missing" as CheckpointId, context: { step: 5 } };
        expect(await codeOf(bench.save(missing))).toBe("CHECKPOINT_NOT_FOUND");
        expect((await bench.load({ sessionId: SESSION })).context).toEqual({ step: 4 });
      }),
    );

    it(
      "identify one content: the same is unchanged, another is a conflict, in any session",
      onBench({}, async (bench) => {
        const save = { sessionId: SESSION, checkpointId: "own" as CheckpointId, context: { step: 1 }, force: true };
        expect((await bench.save(save)).status).toBe("saved");
        await bench.save({ sessionId: SESSION, context: { step: 2 } });
        expect(await bench.save(save)).toMatchObject({ status: "unchanged", record: { id: "own" } });
        expect(await codeOf(bench.save({ ...save, context: { step: 3 } }))).toBe("CONFLICT");
        expect(await codeOf(bench.save({ ...save, sessionId: "other" as SessionId }))).toBe("CONFLICT");
        expect((await bench.load({ checkpointId: save.checkpointId })).context).toEqual({ step: 1 });
      }),
    );
  });

  describe("a session that keeps everything", () => {
    const OPTIONS = { limits: { maxCheckpoints: LIMIT } };
    const saveAll = async (bench: Workbench, sessionId: SessionId, keep: boolean): Promise<void> => {
      for (let step = 0; step < 2 * LIMIT; step++) await bench.save({ sessionId, context: { step }, keep });
    };
    const countIn = async (bench: Workbench, sessionId: SessionId): Promise<number> => (await bench.list({ sessionId })).length;

    it(
      "keeps checkpoints beyond the limit and through clean-up, unlike other sessions",
      onBench({ ...OPTIONS, clock: new SteppingClock(new Date("2026-01-01T00:00:00.000Z"), DAY) }, async (bench, { storage }) => {
        const [kept, other] = [SESSION, "other" as SessionId];
        await saveAll(bench, other, false);
        await saveAll(bench, kept, true);
        await bench.cleanUp({ retentionMs: DAY, asideMs: DAY, trashMs: 0, trashBytes: 0, quota: { above: 1, downTo: 0 } });
        expect([await countIn(bench, kept), await countIn(bench, other)]).toEqual([2 * LIMIT, 0]);
        const { audit } = await storage.catalog.read({ audit: { of: "audit", query: { actions: ["tag"], sessionId: kept } } });
        expect(audit.map(({ reason }) => reason)).toEqual(["keep"]);
      }),
    );

    it(
      "keeps everything after a rebuild, until its tag is removed",
      onBench(OPTIONS, async (bench, { storage }) => {
        await saveAll(bench, SESSION, true);
        await bench.rebuild();
        await bench.save({ sessionId: SESSION, context: { step: "rebuilt" } });
        expect(await countIn(bench, SESSION)).toBe(2 * LIMIT + 1);
        await storage.catalog.change(commit({ tags: { sessionId: SESSION, add: [], remove: ["keep"] }, audit: [] }));
        await bench.save({ sessionId: SESSION, context: { step: "pruned" } });
        expect(await countIn(bench, SESSION)).toBe(LIMIT);
      }),
    );

    it(
      "is not created by an unchanged save",
      onBench(OPTIONS, async (bench, { storage }) => {
        await bench.save({ sessionId: SESSION, context: { step: 1 } });
        expect((await bench.save({ sessionId: SESSION, context: { step: 1 }, keep: true })).status).toBe("unchanged");
        const { session } = await storage.catalog.read({ session: { of: "session", id: SESSION } });
        expect(session?.tags).toEqual([]);
      }),
    );
  });

  describe("a save without a search for secrets", () => {
    const context = { password: SECRET, notes: [`use ${SECRET} here`] };

    it(
      "keeps the given bytes beside redacted ones, through compaction and a rebuild",
      onBench({ secrets: REDACTING }, async (bench) => {
        const given = { sessionId: SESSION, context, name: SECRET, tags: [SECRET], attributes: { of: SECRET }, force: true };
        const open = (await bench.save({ ...given, checkpointId: "open" as CheckpointId }, { secrets: undefined })).record.id;
        const redacted = (await bench.save(given)).record.id;
        await bench.appendRecords({ checkpointId: redacted, records: [{ key: "k", bytes: new TextEncoder().encode("plain") }] });
        for (let step = 0; step < 4; step++) await bench.save({ sessionId: SESSION, context: { ...context, step } });
        await bench.compact(SESSION);
        await bench.rebuild();
        const loaded = await bench.load({ checkpointId: open });
        expect(loaded.contextText()).toBe(JSON.stringify(context));
        expect(loaded.record).toMatchObject({ name: SECRET, tags: [SECRET], attributes: { of: SECRET } });
        const other = await bench.load({ checkpointId: redacted });
        expect(JSON.stringify([other.context, other.record.name, other.record.tags, other.record.attributes])).not.toContain(SECRET);
        expect(other.contextText()).toBe(JSON.stringify({ password: "[PASSWORD]", notes: ["use [PASSWORD] here"] }));
      }),
    );
  });
}

/** Redacts one word. */
const REDACTING: SecretScreen = {
  mode: "redact",
  findSecrets,
  scanner: { find: (parts) => [findSecrets([...parts].join(""))] },
  placeholder: async () => "[PASSWORD]",
};

function findSecrets(text: string) {
  return [...text.matchAll(new RegExp(SECRET, "gu"))].map(({ index }) => {
    return { rule: "word", kind: "PASSWORD", start: index, end: index + SECRET.length } as const;
  });
}
