import { describe, expect, it } from "vitest";
import { foreseeable, KINDS, refusalOf } from "./stores.ts";

const A = "aaaa1111-0000-4000-8000-000000000001";
const B = "aaaa2222-0000-4000-8000-000000000002";
const C = "cccc3333-0000-4000-8000-000000000003";

describe.each(KINDS)("a checkpoint of a store of $kind", ({ at }) => {
  it("is found by its id, by a unique prefix of its id, and by the number of checkpoints to go back", () =>
    at(async (place) => {
      await using store = await place.open({ project: "/shop", adapters: foreseeable() });
      for (const id of [A, B, C]) await store.saveCheckpoint({ sessionId: id === C ? "c" : "ab", checkpointId: id, context: { id } });
      const meant = async (reference: string, params?: object): Promise<string> =>
        (await store.resolveCheckpoint(reference, params)).checkpointId;
      expect(await store.resolveCheckpoint(A)).toEqual({ checkpointId: A, sessionId: "ab" });
      expect([await meant("aaaa1"), await meant("cccc"), await meant(B.slice(0, -1))]).toEqual([A, C, B]);
      expect([await meant("latest"), await meant("latest~1"), await meant("latest~2")]).toEqual([C, B, A]);
      expect([await meant("latest", { sessionId: "ab" }), await meant("latest~1", { sessionId: "ab" })]).toEqual([B, A]);
      expect(await refusalOf(store.resolveCheckpoint("aaaa"))).toMatchObject({
        code: "INVALID_INPUT",
        message: expect.stringContaining(A),
        details: {
          matches: [
            { checkpointId: B, sessionId: "ab" },
            { checkpointId: A, sessionId: "ab" },
          ],
        },
      });
      for (const [reference, params] of [
        ["latest~3", {}],
        ["latest~2", { sessionId: "ab" }],
        ["latest", { sessionId: "none" }],
        ["latest", { project: "/elsewhere" }],
        ["cccc", { sessionId: "ab" }],
        ["ccc", {}],
        ["CCCC", {}],
        ["", {}],
        ["cccc%", {}],
        ["user:42", {}],
        ["x".repeat(1_000), {}],
      ] as const) {
        expect(await refusalOf(store.resolveCheckpoint(reference, params)), reference).toMatchObject({ code: "CHECKPOINT_NOT_FOUND" });
      }
    }));

  it("is found by its whole id, of any form, although other ids begin with it", () =>
    at(async (place) => {
      await using store = await place.open();
      for (const id of ["step", "step-2", "latest"]) await store.saveCheckpoint({ sessionId: "s", checkpointId: id, context: { id } });
      expect((await store.resolveCheckpoint("step")).checkpointId).toBe("step");
      expect((await store.resolveCheckpoint("step-")).checkpointId).toBe("step-2");
      await store.saveCheckpoint({ sessionId: "s", context: { newer: 1 } });
      expect((await store.resolveCheckpoint("latest")).checkpointId).toBe("latest");
    }));

  it("is suggested when its id or name is nearly given", () =>
    at(async (place) => {
      await using store = await place.open();
      await store.saveCheckpoint({ sessionId: "s", checkpointId: A, context: { one: 1 }, metadata: { name: "before refactoring" } });
      await store.saveCheckpoint({ sessionId: "s", checkpointId: C, context: { two: 2 } });
      for (const reference of ["aaab1111", A.replace("1111", "1121"), "before refactorign"]) {
        const refusal = await refusalOf(store.resolveCheckpoint(reference));
        expect(refusal).toMatchObject({ code: "CHECKPOINT_NOT_FOUND", details: { nearest: [{ checkpointId: A, sessionId: "s" }] } });
        expect(refusal.message).toBe(`There is no checkpoint ${reference}.`);
        expect(refusal.hint).toBe(`Nearest: ${A} ("before refactoring").`);
      }
      expect((await refusalOf(store.resolveCheckpoint("nosuch"))).hint).toBe("`workrail list` lists the existing checkpoints.");
      expect((await refusalOf(store.resolveCheckpoint("s"))).hint).toContain("This is a session id");
    }));

  it("is found in the trash when no live one matches, or when only the trash is searched", () =>
    at(async (place) => {
      await using store = await place.open();
      for (const id of [A, B]) await store.saveCheckpoint({ sessionId: "s", checkpointId: id, context: { id } });
      await store.cleanUp({ checkpointIds: [A] });
      expect((await store.resolveCheckpoint("aaaa1")).checkpointId).toBe(A);
      expect((await store.resolveCheckpoint("aaaa")).checkpointId).toBe(B);
      expect((await store.resolveCheckpoint("aaaa", { inTrash: true })).checkpointId).toBe(A);
      expect((await refusalOf(store.resolveCheckpoint("aaaa2", { inTrash: true }))).code).toBe("CHECKPOINT_NOT_FOUND");
      expect((await refusalOf(store.resolveCheckpoint("latest", { inTrash: true }))).code).toBe("CHECKPOINT_NOT_FOUND");
    }));

  it("is resumed, or reported as ambiguous, by a prefix of its id", () =>
    at(async (place) => {
      await using store = await place.open();
      for (const id of [A, B]) await store.saveCheckpoint({ sessionId: "s", checkpointId: id, context: { id } });
      expect(await store.resumeWork({ checkpointId: "aaaa1" })).toMatchObject({ status: "LOADED", checkpointId: A });
      expect((await refusalOf(store.resumeWork({ checkpointId: "aaaa" }))).code).toBe("INVALID_INPUT");
      expect(await store.resumeWork({ checkpointId: "user:42" })).toMatchObject({ status: "CANDIDATES" });
    }));

  it("of another project is found only by its whole id when projects are isolated", () =>
    at(async (place) => {
      {
        await using shop = await place.open({ project: "/shop" });
        await shop.saveCheckpoint({ sessionId: "s", checkpointId: A, context: { one: 1 } });
      }
      const env = { WORKRAIL_ISOLATION: "strict" };
      await using other = await place.open({ project: "/other", env });
      expect((await other.resolveCheckpoint(A)).checkpointId).toBe(A);
      for (const reference of ["aaaa1", "latest", "aaab1"]) {
        const refusal = await refusalOf(other.resolveCheckpoint(reference));
        expect(refusal.code).toBe("CHECKPOINT_NOT_FOUND");
        expect(refusal.details).not.toHaveProperty("nearest");
      }
    }));
});
