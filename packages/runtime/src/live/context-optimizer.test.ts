import { isWorkrailError, type Context } from "@workrail/core";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { contextOptimizer, ENGINE_KEY } from "./context-optimizer.ts";
import { type EngineState, NO_ENGINE_STATE } from "./enhanced-context.ts";
import { wordClassifier } from "@workrail/classifier";

const { createEnhancedContext, mergeLoopState, prepareForPersistence, restoreFromPersistence } = contextOptimizer;

const text = fc.string();
const json = fc.jsonValue().map((value) => JSON.parse(JSON.stringify(value)) as never);
const contexts = fc.dictionary(fc.oneof(text, fc.constant("__proto__")), json) as fc.Arbitrary<Context>;
const loops = fc.dictionary(
  fc.oneof(text, fc.constant("__proto__")),
  fc.record({ iteration: fc.nat(), items: json }, { requiredKeys: ["iteration"] }),
);
const states = fc.record<Partial<EngineState>>(
  {
    phase: text,
    step: text,
    completedPhases: fc.array(text),
    loops,
    condensed: fc.array(fc.record({ checkpointId: text, validUntil: text, keys: fc.array(text) })),
    rewritten: fc.array(text),
  },
  { requiredKeys: [] },
);

function refusal(work: () => unknown): { readonly code: string; readonly message: string } | undefined {
  try {
    work();
  } catch (error) {
    if (isWorkrailError(error)) return { code: error.code, message: error.message };
    throw error;
  }
  return undefined;
}

describe("a saved enhanced context", () => {
  it("is restored exactly, also through JSON", () => {
    fc.assert(
      fc.property(contexts, states, (base, state) => {
        const enhanced = createEnhancedContext(base, state);
        const text = JSON.stringify(prepareForPersistence(enhanced));
        const restored = restoreFromPersistence(JSON.parse(text) as Context);
        expect(restored).toEqual(enhanced);
        expect(JSON.stringify(restored.context)).toBe(JSON.stringify(base));
        expect(JSON.stringify(prepareForPersistence(restored))).toBe(text);
      }),
    );
  });

  it("starts at the beginning when no engine saved it", () => {
    expect(restoreFromPersistence({ goal: "ship" })).toEqual({ context: { goal: "ship" }, engine: NO_ENGINE_STATE });
  });

  it("has the engine's state as an IMPORTANT entry", async () => {
    const prepared = prepareForPersistence(createEnhancedContext({ goal: "ship" }, { phase: "plan" }));
    expect(Object.keys(prepared)).toEqual(["goal", ENGINE_KEY]);
    const classified = await wordClassifier.classify(prepared, [ENGINE_KEY]);
    expect(classified.get(ENGINE_KEY)?.layer).toBe("IMPORTANT");
  });

  it("is refused when the engine's state is invalid, or of a later version", () => {
    const restore = (state: never): unknown => refusal(() => restoreFromPersistence({ [ENGINE_KEY]: state }));
    expect(restore("shortened" as never)).toMatchObject({ code: "INVALID_INPUT", message: "workrailEngineState must be an object." });
    expect(restore({ version: 1, loops: { a: { iteration: -1 } } } as never)).toMatchObject({
      message: 'workrailEngineState.loops["a"].iteration must be a whole number from 0.',
    });
    expect(restore({ version: 2 } as never)).toMatchObject({ code: "UNSUPPORTED_VERSION" });
  });

  it("cannot be mistaken for a workflow's own entry", () => {
    expect(refusal(() => createEnhancedContext({ [ENGINE_KEY]: 1 }))).toMatchObject({ code: "INVALID_INPUT" });
  });
});

describe("merging the state of loops", () => {
  const start = createEnhancedContext({ goal: "ship" }, { loops: { files: { iteration: 2, item: "a.ts", sums: { a: 1 } } } });

  it("replaces the given values and keeps other values and loops", () => {
    const merged = mergeLoopState(start, { files: { iteration: 3, sums: { b: 2 } }, retries: { limit: 5 } });
    expect(merged.engine.loops).toEqual({
      files: { iteration: 3, item: "a.ts", sums: { b: 2 } },
      retries: { iteration: 0, limit: 5 },
    });
    expect(merged.context).toBe(start.context);
    expect(start.engine.loops).toEqual({ files: { iteration: 2, item: "a.ts", sums: { a: 1 } } });
  });

  it("ends a loop with null, once or twice", () => {
    const ended = mergeLoopState(start, { files: null });
    expect(ended.engine.loops).toEqual({});
    expect(mergeLoopState(ended, { files: null }).engine.loops).toEqual({});
  });

  it("accepts only valid iterations", () => {
    for (const iteration of [-1, 0.5, "1", null]) {
      expect(refusal(() => mergeLoopState(start, { files: { iteration } }))).toMatchObject({
        code: "INVALID_INPUT",
        message: 'loopState["files"].iteration must be a whole number from 0.',
      });
    }
  });

  it("gives the same result for changes together or one after another", () => {
    fc.assert(
      fc.property(loops, loops, (first, second) => {
        const inTurn = mergeLoopState(mergeLoopState(start, first), second).engine.loops;
        const both = Object.fromEntries(
          [...new Set([...Object.keys(first), ...Object.keys(second)])].map((id) => [
            id,
            { ...(Object.hasOwn(first, id) ? first[id] : {}), ...(Object.hasOwn(second, id) ? second[id] : {}) },
          ]),
        );
        expect(inTurn).toEqual(mergeLoopState(start, both as never).engine.loops);
      }),
    );
  });
});
