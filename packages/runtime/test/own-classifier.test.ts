import type { Classifier } from "@workrail/core";
import { classifierOf } from "@workrail/storage-conformance/builders";
import { describe, expect, it } from "vitest";
import { onDisk, refusalOf } from "./stores.ts";

const lines = (about: string): string =>
  Array.from({ length: 60 }, (_, line) => `Line ${line} about ${about} and nothing else.`).join("\n");
const context = { lunch: lines("bread"), weather: lines("rain") };

describe("a program's own classifier", () => {
  it.each([
    ["lunch", "weather"],
    ["weather", "lunch"],
  ] as const)("decides the layers on a save, in a view and in a comparison: %s before %s", (first, last) =>
    onDisk(async (place) => {
      const classifier = classifierOf({ [first]: "CRITICAL", [last]: "EPHEMERAL" });
      await using store = await place.open({ adapters: { classifier } });
      const [from, to] = ["from", "to"];
      await store.saveCheckpoint({ sessionId: "s", checkpointId: from, context });
      const { warning } = await store.saveCheckpoint({ sessionId: "s", checkpointId: to, context: { [last]: context[last] } });
      expect(warning).toContain(`CRITICAL: ${first}.`);
      const [newest, oldest] = await store.listCheckpoints({ sessionId: "s" });
      expect([oldest?.layers, newest?.layers]).toEqual([{ CRITICAL: 1, EPHEMERAL: 1 }, { EPHEMERAL: 1 }]);
      const view = await store.viewCheckpoint({ checkpointId: from, budgetTokens: 1_200 });
      const shown = (key: string): number => JSON.stringify(view.context[key] ?? "").length;
      expect(shown(first)).toBeGreaterThan(2 * shown(last));
      const { entries } = await store.compareCheckpoints({ fromId: from, toId: to });
      expect(entries).toMatchObject([{ key: first, change: "removed", from: { layer: "CRITICAL" } }]);
      const shaped = await store.prioritizeContext({ context, budgetTokens: 5_000 });
      expect(Object.keys(shaped.context)).toEqual([first]);
    }),
  );

  it("does not classify pinned entries, nor entries that a rule names", () =>
    onDisk(async (place) => {
      await using store = await place.open({ adapters: { classifier: classifierOf({ weather: "CRITICAL", lunch: "EPHEMERAL" }) } });
      await store.saveCheckpoint({ sessionId: "s", context: { lunch: "begin" } });
      await store.markCritical({ sessionId: "s", contextKey: "lunch" });
      await store.saveCheckpoint({ sessionId: "s", context, contextRules: { layers: { USEFUL: ["weather"] } } });
      expect((await store.listCheckpoints({ sessionId: "s" }))[0]?.layers).toEqual({ CRITICAL: 1, USEFUL: 1 });
    }));

  it("fails a save with its own error, and nothing is saved", () =>
    onDisk(async (place) => {
      const broken: Classifier = { classify: () => Promise.reject(new TypeError("no model")) };
      await using store = await place.open({ adapters: { classifier: broken } });
      await expect(store.saveCheckpoint({ sessionId: "s", context })).rejects.toThrow("no model");
      const odd = { classify: async () => new Map([["lunch", "CRITICAL"]]) } as unknown as Classifier;
      await using other = await place.open({ adapters: { classifier: odd } });
      expect(await refusalOf(other.saveCheckpoint({ sessionId: "s", context }))).toMatchObject({
        details: { field: "adapters.classifier" },
      });
      expect(await other.listCheckpoints({ sessionId: "s" })).toEqual([]);
    }));
});
