import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { wordClassifier } from "@workrail/classifier";
import { tokensCounted } from "@workrail/storage-conformance/builders";
import { COMPRESSION_STRATEGIES, type Context, type JsonValue } from "@workrail/core";
import { buildView, type View } from "./build-view.ts";
import { viewOptionsOf, type ShapeOptions } from "./view-options.ts";
import { anyCharacter } from "../../../storage-conformance/test/any-character.ts";

const count = (text: string): number => Math.ceil(Buffer.byteLength(text) / 3);
const counter = tokensCounted(count);
const ports = { classifier: wordClassifier };
const CEILING = { tokens: 10_000, characters: 45_000 };

const words = fc.array(fc.constantFrom("cache", "not", "src/router.ts", "failed", "1047", "the", "of", "ERR_TIMEOUT"), { maxLength: 150 });
const text = fc.oneof(
  fc.string({ unit: anyCharacter, maxLength: 400 }),
  words.map((each) => `${each.join(" ")}.`),
);
const message = fc.record({ role: fc.constantFrom("user", "assistant", "tool"), content: text });
const value = fc.oneof(
  fc.jsonValue({ depthSize: "small" }),
  text,
  fc.array(message, { minLength: 3, maxLength: 30 }),
  fc.dictionary(text, text),
) as fc.Arbitrary<JsonValue>;
const key = fc.oneof(fc.constantFrom("goal", "plan", "messages", "notes", "debugLog", "timestamp", "__proto__"), text);
const context: fc.Arbitrary<Context> = fc.array(fc.tuple(key, value), { maxLength: 12 }).map((members) => Object.fromEntries(members));
const wish: fc.Arbitrary<ShapeOptions> = fc.record({
  pins: fc.constantFrom([], ["notes"]),
  focus: fc.option(fc.constantFrom("why does the router fail?", ""), { nil: undefined }),
  strategy: fc.constantFrom(...COMPRESSION_STRATEGIES),
});

async function view(context: Context, wish: ShapeOptions, tokens: number): Promise<View> {
  const wanted = { tokens, characters: CEILING.characters };
  return buildView(
    context,
    { ...(await viewOptionsOf(ports, context, wish)), budget: { wanted, ceiling: CEILING, of: "context" } },
    counter,
  );
}

describe("for any context, strategy and focus", () => {
  it("a view fits its budget, keeps CRITICAL entries whole, reports incomplete entries, and is deterministic", async () => {
    await fc.assert(
      fc.asyncProperty(context, wish, fc.integer({ min: 200, max: 1_500 }), async (context, wish, tokens) => {
        const one = await view(context, wish, tokens);
        const size = count(JSON.stringify(one.context));
        expect(size).toBeLessThanOrEqual(tokens + (one.budgetExceededBy ?? 0));
        expect(count(JSON.stringify(one))).toBeLessThanOrEqual(CEILING.tokens);
        const { classifications } = await viewOptionsOf(ports, context, wish);
        const critical = Object.keys(context).filter((key) => classifications.get(key)?.layer === "CRITICAL");
        expect(critical.filter((key) => JSON.stringify(one.context[key]) !== JSON.stringify(context[key]))).toEqual([]);
        expect(one.budgetExceededBy === undefined || critical.length > 0).toBe(true);
        const { reduced = 0, condensed = 0, dropped = 0 } = one.report ?? {};
        // Every object inherits `__proto__`; only an own property is an entry.
        const isThere = (key: string): boolean => Object.hasOwn(one.context, key);
        const whole = Object.keys(context).filter(
          (key) => isThere(key) && JSON.stringify(one.context[key]) === JSON.stringify(context[key]),
        );
        expect(whole.length + reduced + condensed + dropped).toBe(Object.keys(context).length);
        expect(JSON.stringify(await view(context, wish, tokens))).toBe(JSON.stringify(one));
      }),
      { numRuns: 150 },
    );
  });
});
