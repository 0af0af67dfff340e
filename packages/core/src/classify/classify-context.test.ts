import { describe, expect, it } from "vitest";
import { wordClassifier } from "../../../classifier/src/word-classifier.ts";
import { classifierOf } from "../../../storage-conformance/src/builders.ts";
import type { Context } from "../model/context.ts";
import type { CompiledRules } from "../model/context-rules.ts";
import type { Classifier } from "../ports/classifier.ts";
import { classifyContext, summarise } from "./classify-context.ts";

const rules: CompiledRules = {
  rules: {},
  classify: (key) =>
    ["goal", "plan", "iteration"].includes(key) ? { layer: "EPHEMERAL", confidence: 1, why: `rule ${JSON.stringify(key)}` } : undefined,
  layerOfPath: () => undefined,
};

describe("classifyContext", () => {
  it("asks the pins first, then the rules, then the classifier", async () => {
    const classifier = classifierOf({ goal: "USEFUL", plan: "USEFUL", notes: "IMPORTANT" });
    const told = await classifyContext({ classifier }, { rest: 1, notes: "n", plan: "p", goal: "g" }, { pins: ["goal", "gone"], rules });
    expect([...told]).toEqual([
      ["rest", { layer: "USEFUL", confidence: 0, why: "default" }],
      ["notes", { layer: "IMPORTANT", confidence: 1, why: "given" }],
      ["plan", { layer: "EPHEMERAL", confidence: 1, why: 'rule "plan"' }],
      ["goal", { layer: "CRITICAL", confidence: 1, why: "pinned" }],
    ]);
    expect(summarise(told)).toEqual({ CRITICAL: 1, IMPORTANT: 1, USEFUL: 1, EPHEMERAL: 1 });
    expect(summarise(new Map())).toEqual({});
  });

  it("asks the classifier only for entries that nothing else decides, if there are any", async () => {
    const asked: (readonly string[])[] = [];
    const classifier: Classifier = {
      classify(context, keys) {
        asked.push(keys);
        return wordClassifier.classify(context, keys);
      },
    };
    const loop: Context = { iteration: 3, loopState: {} };
    expect((await classifyContext({ classifier }, loop, { pins: [] })).get("iteration")?.layer).toBe("IMPORTANT");
    expect((await classifyContext({ classifier }, loop, { pins: [], rules })).get("iteration")?.layer).toBe("EPHEMERAL");
    await classifyContext({ classifier }, { goal: 1, plan: 2 }, { pins: [], rules });
    await classifyContext({ classifier }, {}, { pins: [] });
    expect(asked).toEqual([["iteration", "loopState"], ["loopState"]]);
  });

  it.each([
    { layer: "critical", confidence: 1, why: "w" },
    { layer: "CRITICAL", confidence: Number.NaN, why: "w" },
    { layer: "CRITICAL", confidence: 2, why: "w" },
    { layer: "CRITICAL", confidence: 1 },
    null,
  ])("refuses %j of a classifier", async (answer) => {
    const classifier = { classify: async () => new Map([["a", answer]]) } as unknown as Classifier;
    await expect(classifyContext({ classifier }, { a: 1 }, { pins: [] })).rejects.toMatchObject({
      code: "INVALID_INPUT",
      details: { field: "adapters.classifier" },
    });
  });
});
