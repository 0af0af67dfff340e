import { describe, expect, it } from "vitest";
import type { FindCheckpointsParams, Workrail } from "../src/index.ts";
import { KINDS, refusalOf } from "./stores.ts";

async function found(workrail: Workrail, attributes: unknown, more: FindCheckpointsParams = {}): Promise<readonly (string | undefined)[]> {
  const { checkpoints, total } = await workrail.findCheckpoints({ ...more, attributes } as FindCheckpointsParams);
  expect(total).toBe(checkpoints.length);
  return checkpoints.map(({ name }) => name);
}

describe.each(KINDS)("a filter of attributes in $kind", ({ at }) => {
  it("finds checkpoints with exactly these values, in one session or in all", () =>
    at(async (place) => {
      await using workrail = await place.open();
      const save = (sessionId: string, name: string, own: object) =>
        workrail.saveCheckpoint({ sessionId, context: { name }, metadata: { name, attributes: own } });
      await save("a", "one", { team: "red", step: 1, isLast: false, nested: { team: "red" } });
      await save("a", "two", { team: "red", step: 2, isLast: true, owner: null });
      await save("b", "three", { team: "Red", step: "1" });
      await save("b", "four", { team: "red", step: 1 });
      await save("b", "five", {});
      expect(await found(workrail, { team: "red" })).toEqual(["four", "two", "one"]);
      expect(await found(workrail, { team: "red", step: 1 })).toEqual(["four", "one"]);
      expect(await found(workrail, { team: "red", step: 1 }, { sessionId: "a" })).toEqual(["one"]);
      expect(await found(workrail, { isLast: true })).toEqual(["two"]);
      expect(await found(workrail, { owner: null })).toEqual(["two"]);
      expect(await found(workrail, { owner: 0 })).toEqual([]);
      expect(await found(workrail, {}, { sessionId: "b" })).toEqual(["five", "four", "three"]);
      await workrail.erase({ sessionId: "a" });
      expect(await found(workrail, { team: "red" })).toEqual(["four"]);
    }));

  it("refuses values that it cannot compare, and fields that are no attributes", () =>
    at(async (place) => {
      await using workrail = await place.open();
      for (const wrong of [
        [],
        "red",
        { team: { is: "red" } },
        { team: ["red"] },
        { n: Number.NaN },
        { ["x".repeat(65)]: 1 },
        { x: "x".repeat(257) },
      ]) {
        expect(await refusalOf(found(workrail, wrong))).toMatchObject({ code: "INVALID_INPUT", details: { field: "attributes" } });
      }
      expect(await refusalOf(found(workrail, { phase: "plan" }))).toMatchObject({ code: "INVALID_INPUT" });
    }));

  it("does not match checkpoints without attributes by words of JSON syntax", () =>
    at(async (place) => {
      await using workrail = await place.open();
      await workrail.saveCheckpoint({ sessionId: "a", context: { n: 1 } });
      expect((await workrail.findCheckpoints({ query: "{}" })).total).toBe(0);
    }));
});
