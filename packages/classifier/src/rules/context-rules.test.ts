import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type CompiledRules, type ContextRules, isWorkrailError, LAYERS, type PatternCompiler, WorkrailError } from "@workrail/core";
import { compileRules } from "./compile-rules.ts";
import { parseContextRules } from "./context-rules.ts";

/** Backtracking expressions suffice for the few patterns of the tests; a store uses an adapter that is linear in time. */
const patterns: PatternCompiler = {
  compile(pattern) {
    if (pattern.includes("(?=")) throw new WorkrailError("INVALID_INPUT", "it looks ahead.", { hint: "Do not.", details: { pattern } });
    const flags = pattern.startsWith("(?i)") ? "isu" : "su";
    const expression = new RegExp(pattern.replace(/^\(\?[si]\)/, "").replaceAll(/\\x\{([0-9a-f]+)\}/g, String.raw`\u{$1}`), flags);
    return (text) => expression.test(text);
  },
};

function rulesOf(json: unknown): CompiledRules {
  return compileRules(parseContextRules(json), patterns);
}

function readOrRefusal(json: unknown): unknown {
  try {
    return parseContextRules(json);
  } catch (error) {
    return error;
  }
}

describe("rules that people write", () => {
  it("are read with every part, and phases by name alone", () => {
    const rules: ContextRules = {
      layers: { CRITICAL: ["spec*"], EPHEMERAL: ["/^tmp/i"] },
      paths: { "ticket.acceptance": "CRITICAL" },
      budgets: { CRITICAL: 0.5, USEFUL: 0.1 },
      phases: [
        { name: "design", checkpoint: true },
        { name: "build", checkpoint: false },
      ],
    };
    expect(parseContextRules({ ...rules, phases: ["design", { name: "build", checkpoint: false }] })).toEqual(rules);
    expect(parseContextRules({})).toEqual({});
  });

  it.each([
    [null, "contextRules must be an object."],
    [[], "contextRules must be an object."],
    [{ layer: {} }, `contextRules["layer"] is not known here; known are layers, paths, budgets, phases.`],
    [{ layers: [] }, "contextRules.layers must be an object."],
    [{ layers: { critical: [] } }, `contextRules.layers["critical"] is not known here; known are CRITICAL, IMPORTANT, USEFUL, EPHEMERAL.`],
    [{ layers: { CRITICAL: "goal" } }, "contextRules.layers.CRITICAL must be a list of patterns for keys."],
    [{ layers: { CRITICAL: ["goal", 7] } }, "contextRules.layers.CRITICAL[1] must be a text of 1 to 200 characters."],
    [{ layers: { CRITICAL: [""] } }, "contextRules.layers.CRITICAL[0] must be a text of 1 to 200 characters."],
    [{ layers: { USEFUL: Array.from({ length: 501 }, () => "a") } }, "contextRules.layers must have at most 500 patterns in all."],
    [{ paths: { "a..b": "CRITICAL" } }, `contextRules.paths["a..b"] must be names joined by dots.`],
    [{ paths: { "a.b": "HIGH" } }, `contextRules.paths["a.b"] must be one of CRITICAL, IMPORTANT, USEFUL, EPHEMERAL.`],
    [{ budgets: { CRITICAL: 30 } }, "contextRules.budgets.CRITICAL must be a share from 0 to 1, such as 0.3."],
    [{ budgets: { CRITICAL: 0.8, USEFUL: 0.4 } }, "contextRules.budgets must be at most 1 together, not 1.2."],
    [{ phases: "design" }, "contextRules.phases must be a list of phases in their order."],
    [{ phases: [{ checkpoint: true }] }, "contextRules.phases[0].name must be a text of 1 to 200 characters."],
    [{ phases: [{ name: "a", checkpoint: "yes" }] }, "contextRules.phases[0].checkpoint must be true or false."],
    [{ phases: ["a", "b", "a"] }, `contextRules.phases[2] names a phase that is there already: "a".`],
    [{ phases: [7] }, "contextRules.phases[0] must be the name of a phase, or an object with name and checkpoint."],
  ])("%j is refused at its place", (json, message) => {
    expect(() => parseContextRules(json)).toThrow(expect.objectContaining({ code: "INVALID_INPUT", message }));
  });

  it("are parsed or rejected for any input, and parse the same again", () => {
    const part = fc.oneof(
      fc.jsonValue(),
      fc.dictionary(fc.constantFrom(...LAYERS, "a.b"), fc.oneof(fc.array(fc.string()), fc.double(), fc.constantFrom(...LAYERS))),
    );
    const json = fc.oneof(fc.jsonValue(), fc.dictionary(fc.constantFrom("layers", "paths", "budgets", "phases"), part));
    fc.assert(
      fc.property(json, (json) => {
        const first = readOrRefusal(json);
        expect(isWorkrailError(first) ? first.code : readOrRefusal(first)).toEqual(isWorkrailError(first) ? "INVALID_INPUT" : first);
      }),
    );
  });
});

describe("patterns for keys", () => {
  it("are the key itself, with * and ? in place of characters", () => {
    const rules = rulesOf({ layers: { IMPORTANT: ["plan", "a.b", "spec*", "v?", "*-note"] } });
    for (const key of ["plan", "a.b", "spec", "specs/one\ntwo", "v1", "-note", "my-note"])
      expect(rules.classify(key, 1)?.layer, key).toBe("IMPORTANT");
    for (const key of ["Plan", "plans", "aXb", "my spec", "v12", "v", "note"]) expect(rules.classify(key, 1), key).toBeUndefined();
  });

  it("are expressions between slashes, that match anywhere", () => {
    const rules = rulesOf({ layers: { CRITICAL: ["/^must|must$/", "/spec/i"], USEFUL: ["/no end"] } });
    for (const key of ["mustRun", "the must", "mySPECs"]) expect(rules.classify(key, 1)?.layer, key).toBe("CRITICAL");
    expect(rules.classify("no must no", 1)).toBeUndefined();
    expect(rules.classify("/no end", 1)).toEqual({ layer: "USEFUL", confidence: 1, why: 'rule "/no end"' });
  });

  it("of the most important layer win, in any order", () => {
    const rules = rulesOf({ layers: { EPHEMERAL: ["*"], USEFUL: ["log*"], CRITICAL: ["log"] } });
    expect(["log", "logs", "other"].map((key) => rules.classify(key, 1)?.layer)).toEqual(["CRITICAL", "USEFUL", "EPHEMERAL"]);
  });

  it("that cannot be used are refused at their place", () => {
    const refused = expect.objectContaining({
      code: "INVALID_INPUT",
      message: "contextRules.layers.USEFUL[1]: it looks ahead.",
      hint: "Do not.",
    }) as Error;
    expect(() => rulesOf({ layers: { USEFUL: ["a", "/(?=a)/"] } })).toThrow(refused);
  });
});

describe("paths of nested values", () => {
  const rules = rulesOf({
    layers: { USEFUL: ["ticket", "steps"] },
    paths: {
      "ticket.acceptance": "CRITICAL",
      "steps.*.verdict": "IMPORTANT",
      "steps.*.output": "EPHEMERAL",
      "list.1": "CRITICAL",
      "a\\.b.c": "CRITICAL",
      plain: "IMPORTANT",
    },
  });

  it("raise the layer of their entry, and never lower it", () => {
    expect(rules.classify("ticket", { acceptance: [] })).toEqual({ layer: "CRITICAL", confidence: 1, why: 'rule "ticket.acceptance"' });
    expect(rules.classify("ticket", { title: "x" })?.layer).toBe("USEFUL");
    expect(rules.classify("steps", [{ output: "x" }])?.layer).toBe("USEFUL");
    expect(rules.classify("steps", [{ output: "x" }, { verdict: "y" }])?.layer).toBe("IMPORTANT");
    expect(rules.classify("list", ["a", "b"])?.layer).toBe("CRITICAL");
    expect(rules.classify("list", ["a"])).toBeUndefined();
    expect(rules.classify("a.b", { c: null })?.layer).toBe("CRITICAL");
    expect(rules.classify("plain", 1)?.layer).toBe("IMPORTANT");
    expect(rules.classify("toString", {})).toBeUndefined();
  });

  it("return the layer of the place they name", () => {
    expect(rules.layerOfPath(["steps", 3, "output"])).toBe("EPHEMERAL");
    expect(rules.layerOfPath(["steps", 3, "verdict"])).toBe("IMPORTANT");
    expect(rules.layerOfPath(["steps", 3])).toBeUndefined();
  });

  it("are searched in only a part of a large value", () => {
    let touched = 0;
    const counted = (value: object): object =>
      new Proxy(value, { getOwnPropertyDescriptor: (...args) => (touched++, Reflect.getOwnPropertyDescriptor(...args)) });
    const large = Array.from({ length: 20_000 }, () => counted({ other: 1 }));
    rules.classify("steps", large as never);
    expect(touched).toBeLessThan(5_000);
  });
});
