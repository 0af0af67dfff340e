import path from "node:path";
import type { CheckpointFilter, CheckpointId, PageCursor, SessionId, Where } from "@workrail/core";
import { describe, expect, it } from "vitest";
import { failureOf, SESSION, type TestStore, withStore } from "../../test/test-store.ts";
import { openDatabase } from "../../test/open-database.ts";
import { planOf } from "../../test/plan-of.ts";

describe("pages of checkpoints", () => {
  it.each<[string, CheckpointFilter]>([
    ["a session", { sessionId: SESSION }],
    ["the whole store", {}],
  ])("of %s go on where one ended, whatever was saved or pruned meanwhile", (_, filter) =>
    withStore(
      async (store) => {
        for (let number = 1; number <= 7; number++) await store.save({ number });
        const seen: unknown[] = [];
        let after: PageCursor | undefined;
        do {
          const page = await store.storage.catalog.list({ filter, limit: 2, offset: 0, after });
          seen.push(...page.records.map((record) => record.sequence));
          after = page.next;
          await store.save({ later: seen.length });
        } while (after !== undefined);
        // The store keeps seven checkpoints: pruned ones are missed, none is seen twice.
        expect(seen).toEqual([7, 6, 5, 4, 3]);
      },
      { maxCheckpoints: 7 },
    ),
  );

  it.each(["", "x", "1e3", "-1", "1.5", " 1", "9".repeat(16)])("refuse what is no cursor: %j", (cursor) =>
    withStore(async (store) => {
      const listing = store.storage.catalog.list({ filter: {}, limit: 1, offset: 0, after: cursor as PageCursor });
      expect((await failureOf(listing)).code).toBe("INVALID_INPUT");
    }),
  );

  it("are read along an index, and not sorted", () =>
    withStore(async (store) => {
      await store.save({ number: 1 });
      const database = openDatabase(path.join(store.dataDir, "workrail.db"), 0);
      for (const filter of [{ sessionId: SESSION }, {}, { project: "/p" }]) {
        const where: Where = { state: "live", notKinds: ["aside"], ...filter };
        expect(planOf(database, { of: "checkpoints", where, order: "newest", limit: 20 }).join("; ")).not.toContain("TEMP B-TREE");
        expect(planOf(database, { of: "count", where }).join("; ")).not.toContain("TEMP B-TREE");
      }
      database.close();
    }));

  it.each<[string, Omit<Where, "state">, string]>([
    ["the store", { notKinds: ["aside"] }, "SEARCH checkpoint_total"],
    ["the store, of some kinds", { kinds: ["aside", "project"] }, "SEARCH checkpoint_total"],
    ["a project", { project: "/p", tags: [], words: [], notKinds: ["aside"] }, "SEARCH checkpoint_total"],
    ["a session", { sessionId: SESSION, notKinds: ["aside"] }, "SEARCH session"],
  ])("know the total of %s without counting", (_, where, step) =>
    withStore(async (store) => {
      const database = openDatabase(path.join(store.dataDir, "workrail.db"), 0);
      const plan = planOf(database, { of: "count", where: { state: "live", ...where } });
      database.close();
      expect(plan).toEqual([expect.stringContaining(step)]);
    }),
  );

  it("come in more shapes than statements are kept", () =>
    withStore(async (store) => {
      await store.save({ number: 1 }, { tags: ["tag"], name: "name", agentId: "agent", workflowId: "workflow" });
      const others = [{}, { name: "name" }, { agentId: "agent" }, { workflowId: "workflow" }, { query: "name" }];
      for (let count = 1; count <= 50; count++) {
        for (const other of others) {
          const filter = { ...other, tags: Array<string>(count).fill("tag") };
          expect((await store.storage.catalog.list({ filter, limit: 1, offset: 0 })).total).toBe(1);
        }
      }
      expect(await store.contextOf()).toEqual({ number: 1 });
    }));
});

describe("filters", () => {
  const found = async (store: TestStore, filter: CheckpointFilter): Promise<readonly string[]> =>
    (await store.storage.catalog.list({ filter, limit: 100, offset: 0 })).records.map(({ id }) => id).sort();

  it("compare texts without regard to case, in any script, and take no wildcards", () =>
    withStore(async (store) => {
      const names = { umlaut: "ÄRGER mit Öl", greek: "ΟΔΟΣ και", cyrillic: "Привет МИР", wildcard: "100%_sure", plain: "100 and sure" };
      for (const [id, name] of Object.entries(names)) await store.save({ id }, { name, checkpointId: id as CheckpointId });
      expect(await found(store, { name: "ärger MIT öL" })).toEqual(["umlaut"]);
      expect(await found(store, { name: "οδος ΚΑΙ" })).toEqual(["greek"]);
      expect(await found(store, { query: "пРИВЕТ мир" })).toEqual(["cyrillic"]);
      expect(await found(store, { name: "%" })).toEqual(["wildcard"]);
      expect(await found(store, { query: "_s" })).toEqual(["wildcard"]);
      expect(await found(store, { name: "'; DROP TABLE checkpoint; --" })).toEqual([]);
    }));

  it("find tags on the checkpoint or on its session", () =>
    withStore(async (store) => {
      await store.save({ number: 1 }, { checkpointId: "tagged" as CheckpointId, tags: ["own"] });
      await store.save({ number: 2 }, { checkpointId: "other" as CheckpointId, sessionId: "other" as SessionId, tags: ["own"] });
      const { records } = await store.storage.catalog.list({ filter: {}, limit: 10, offset: 0 });
      const facts = { createdAt: new Date(), pins: [], tombstones: [], erasing: [], oldestLive: null, trash: [], shields: [] };
      await store.storage.locking.exclusively(() =>
        store.storage.recovery.refill(records, [{ ...facts, sessionId: SESSION, tags: ["session's", '"]'] }], {
          at: new Date(),
          action: "rebuild",
          sessionId: undefined,
          checkpointId: undefined,
          agentId: undefined,
        }),
      );
      expect(await found(store, { tags: ["own"] })).toEqual(["other", "tagged"]);
      expect(await found(store, { tags: ["own", "session's"] })).toEqual(["tagged"]);
      expect(await found(store, { tags: ['"]'] })).toEqual(["tagged"]);
      expect(await found(store, { tags: ["session"] })).toEqual([]);
    }));

  it("of words look within one label at a time", () =>
    withStore(async (store) => {
      await store.save(
        { number: 1 },
        { checkpointId: "one" as CheckpointId, name: "alpha", tags: ["beta"], attributes: { note: "Gamma" } },
      );
      expect(await found(store, { query: "GAMMA alph bet" })).toEqual(["one"]);
      expect(await found(store, { query: "alphabeta" })).toEqual([]);
      expect(await found(store, { query: "   " })).toEqual(["one"]);
    }));
});
