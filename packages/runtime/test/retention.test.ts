import { describe, expect, it } from "vitest";
import { foreseeable, KINDS, refusalOf } from "./stores.ts";

const FEW = { WORKRAIL_MAX_CHECKPOINTS: "3" };
const DAY_MS = 24 * 60 * 60 * 1_000;

describe.each(KINDS)("retention of all in a store of $kind", ({ at }) => {
  it("keeps every checkpoint of the session, starting with the save that requests it", () =>
    at(async (place) => {
      await using store = await place.open({ env: FEW });
      for (let step = 0; step < 3; step++) await store.saveCheckpoint({ sessionId: "s", context: { step } });
      // The fourth save would remove the first.
      expect(await store.saveCheckpoint({ sessionId: "s", context: { step: 3 }, retention: "all" })).not.toHaveProperty("pruned");
      expect(await store.saveCheckpoint({ sessionId: "s", context: { step: 4 } })).not.toHaveProperty("pruned");
      expect((await store.findCheckpoints({ sessionId: "s" })).total).toBe(5);
      expect((await store.listSessions()).sessions).toMatchObject([{ id: "s", retention: "all", tags: ["keep"] }]);
      expect(await store.keepSession("s", false)).not.toHaveProperty("retention");
      expect(await store.saveCheckpoint({ sessionId: "s", context: { step: 5 } })).toMatchObject({ pruned: 3 });
      expect(await refusalOf(store.saveCheckpoint({ context: { a: 1 }, retention: "some" as "all" }))).toMatchObject({
        code: "INVALID_INPUT",
        details: { field: "retention" },
      });
    }));

  it("is read from the metadata of a save, too", () =>
    at(async (place) => {
      await using store = await place.open({ env: FEW });
      for (let step = 0; step < 6; step++) {
        await store.saveCheckpoint({
          sessionId: "s",
          context: { step },
          ...(step === 0 && { metadata: { attributes: { retention: "all" } } }),
        });
      }
      expect((await store.findCheckpoints({ sessionId: "s" })).session).toMatchObject({ retention: "all", checkpointCount: 6 });
    }));

  it("holds for a session that begins with it, after the loss of the catalog, and in another store", () =>
    at(async (place) => {
      {
        await using store = await place.open({ env: FEW });
        await store.saveCheckpoint({ sessionId: "s", context: { step: 0 }, retention: "all" });
      }
      place.loseCatalog();
      await using store = await place.open({ env: FEW });
      for (let step = 1; step < 6; step++) await store.saveCheckpoint({ sessionId: "s", context: { step } });
      expect((await store.findCheckpoints({ sessionId: "s" })).total).toBe(6);
      let text = "";
      for await (const piece of store.exportText("s")) text += piece;
      await store.erase({ sessionId: "s" });
      await store.importText(piecesOf(text));
      expect((await store.findCheckpoints({ sessionId: "s" })).session).toMatchObject({ retention: "all", checkpointCount: 6 });
    }));

  it("applies to removal by age: no checkpoint of the session goes to the trash", () =>
    at(async (place) => {
      const { clock, ids } = foreseeable();
      const now = { value: clock.now().getTime() };
      const adapters = { ids, clock: { now: () => new Date(now.value) } };
      {
        await using store = await place.open({ adapters });
        await store.saveCheckpoint({ sessionId: "kept", context: { a: 1 }, retention: "all" });
        await store.saveCheckpoint({ sessionId: "other", context: { a: 1 } });
      }
      now.value += 60 * DAY_MS;
      await using store = await place.open({ adapters });
      const report = await store.cleanUp();
      expect(report.removed.map(({ sessionId }) => sessionId)).toEqual(["other"]);
      expect(report.spared).toMatchObject([{ sessionId: "kept", why: "keep" }]);
    }));

  it("applies to the quota, which then refuses saves", () =>
    at(async (place) => {
      await using store = await place.open({ env: { WORKRAIL_MAX_TOTAL_BYTES: "3000" } });
      const noise = (seed: number): string =>
        Array.from({ length: 300 }, (_, at) => ((at * 7_919 + seed * 104_729) % 65_521).toString(36)).join("");
      let refusal: unknown;
      let saved = 0;
      for (let step = 0; step < 20 && refusal === undefined; step++) {
        try {
          await store.saveCheckpoint({ sessionId: `s${step}`, context: { noise: noise(step) }, retention: "all" });
          saved += 1;
        } catch (error) {
          refusal = error;
        }
      }
      expect(refusal).toMatchObject({ code: "STORAGE_QUOTA_EXCEEDED" });
      expect((await store.listSessions({ limit: 100 })).total).toBe(saved);
    }));
});

describe.each(KINDS)("pruning to the trash in a store of $kind", ({ at }) => {
  it("moves checkpoints beyond the limit to the trash, from where they can be restored", () =>
    at(async (place) => {
      await using store = await place.open({ env: { ...FEW, WORKRAIL_PRUNED_GO_TO: "trash" } });
      for (let step = 0; step < 3; step++) await store.saveCheckpoint({ sessionId: "s", checkpointId: `step-${step}`, context: { step } });
      const saved = await store.saveCheckpoint({ sessionId: "s", context: { step: 3 } });
      expect(saved).toMatchObject({ prunedToTrash: 1 });
      expect(saved).not.toHaveProperty("pruned");
      expect((await store.findCheckpoints({ sessionId: "s" })).total).toBe(3);
      expect((await store.listTrash()).map(({ id }) => id)).toEqual(["step-0"]);
      expect((await store.auditLog({ limit: 1 })).entries).toMatchObject([{ action: "trash", checkpointId: "step-0", reason: "count" }]);
      await store.restoreFromTrash({ sessionId: "s" });
      expect((await store.loadCheckpoint({ checkpointId: "step-0" })).context).toEqual({ step: 0 });
    }));

  it("spares checkpoints tagged keep, and whole sessions that keep all", () =>
    at(async (place) => {
      await using store = await place.open({ env: { ...FEW, WORKRAIL_PRUNED_GO_TO: "trash" } });
      const metadata = { tags: ["keep"] };
      for (let step = 0; step < 4; step++)
        await store.saveCheckpoint({
          sessionId: "s",
          checkpointId: `step-${step}`,
          context: { step },
          metadata: step === 0 ? metadata : {},
        });
      expect((await store.listTrash()).map(({ id }) => id)).toEqual(["step-1"]);
      for (let step = 0; step < 6; step++) await store.saveCheckpoint({ sessionId: "all", context: { step }, retention: "all" });
      expect((await store.findCheckpoints({ sessionId: "all" })).total).toBe(6);
    }));
});

async function* piecesOf(text: string): AsyncGenerator<string> {
  yield text;
}
