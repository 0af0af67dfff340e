import { describe, expect, it } from "vitest";
import { wordClassifier } from "@workrail/classifier";
import type { TokenCounter } from "@workrail/core";
import { findSecrets } from "@workrail/secrets";
import { compressContext, type CompressInput, type ShapedContext } from "../shape-context.ts";

/** Counts one token per four characters. */
const count = (text: string): number => Math.ceil(text.length / 4);
const tokens: TokenCounter = { count: async (text) => count(text), load: async () => count };

interface Asked {
  readonly text: string;
  readonly budgetTokens: number;
  readonly focus: string | undefined;
}

const BUDGET = { wanted: { tokens: 400, characters: 45_000 }, ceiling: { tokens: 5_000, characters: 45_000 }, of: "context" as const };

async function compress(
  answer: (asked: Asked) => string | Promise<string>,
  input: Partial<CompressInput> & Pick<CompressInput, "context">,
): Promise<ShapedContext & { readonly asked: readonly Asked[] }> {
  const asked: Asked[] = [];
  const condenser = {
    name: "model",
    async condense(text: string, budgetTokens: number, focus?: string): Promise<string> {
      asked.push({ text, budgetTokens, focus });
      return answer({ text, budgetTokens, focus });
    },
  };
  const shaped = await compressContext(
    { classifier: wordClassifier, tokens, advanced: { condenser, inputTokens: 1_000, findSecrets } },
    { pins: [], budget: BUDGET, ...input },
  );
  return { ...shaped, asked };
}

const STORY = "We went on with the work and looked at many things that had to be looked at, one after another, in some order. ";
const log = (lines: number): string =>
  Array.from({ length: lines }, (_, line) => `Step ${line}: looked at src/part-${line}/index.ts, which was fine. ${STORY}`).join("\n");

describe("compressContext with a condenser", () => {
  it("replaces condensed entries by its answers, and reports it", async () => {
    const context = { goal: "Ship it", notes: STORY.repeat(40) };
    const { asked, ...shaped } = await compress(() => "  Work went on; things were looked at.\n", { context, focus: "the work" });
    expect(shaped.context).toEqual({ goal: "Ship it", notes: "Work went on; things were looked at." });
    expect(shaped.advanced).toEqual({ by: "model", condensed: 1, fellBack: [] });
    expect(shaped.report).toMatchObject({ kept: 1, condensed: 1, entries: [{ key: "notes", tokensAfter: 10 }] });
    expect(shaped.tokensAfter).toBe(count(JSON.stringify(shaped.context)));
    expect(asked).toMatchObject([{ focus: "the work" }]);
    expect(asked[0]?.budgetTokens).toBeLessThan(400);
  });

  it("is not asked for entries that fit, critical ones, other strategies, or further report pages", async () => {
    const large = { goal: STORY.repeat(40), notes: STORY.repeat(40) };
    const answer = (): string => "short";
    for (const input of [
      { context: { notes: STORY } },
      { context: { goal: STORY.repeat(40) } },
      { context: large, strategy: "extract" as const },
      { context: large, cursor: 1 },
    ]) {
      const { asked, ...shaped } = await compress(answer, input);
      expect(asked).toEqual([]);
      expect(shaped).not.toHaveProperty("advanced");
    }
  });

  it("appends names that the answer lacks, if they are few", async () => {
    const notes = `It fails in src/auth/redirect.ts since commit 9f3c2ab. Ask for ticket OPS-4821 first. ${STORY.repeat(40)}`;
    const { context, advanced } = await compress(() => "Fails in src/auth/redirect.ts since 9f3c2ab.", { context: { notes } });
    expect(context["notes"]).toBe("Fails in src/auth/redirect.ts since 9f3c2ab.\nAlso: OPS-4821");
    expect(advanced).toMatchObject({ condensed: 1 });
  });

  it.each<readonly [string, () => string | Promise<string>, RegExp]>([
    ["fails", () => Promise.reject(new Error("The endpoint is down.")), /^The endpoint is down\.$/],
    ["is empty", () => " \n", /^Its answer is empty\.$/],
    ["is bytes", () => "\u0000\u0001PNG", /^Its answer is not a text\.$/],
    ["is too long", () => STORY.repeat(100), /^Its answer takes \d+ tokens where \d+ fit\.$/],
    ["leaves out most names", () => "All fine.", /^Its answer lacks \d+ of \d+ names and numbers that are kept without it\.$/],
    [
      "invents",
      () => "See src/other/file.ts and ticket OPS-9999.",
      /^Its answer has 2 names or numbers that the original does not have\.$/,
    ],
  ])("goes on without it when its answer %s, and says why", async (_, answer, why) => {
    const context = { goal: "Ship it", notes: log(60) };
    const { asked, advanced, ...shaped } = await compress(answer, { context });
    expect(asked).toHaveLength(1);
    expect(shaped).toEqual(await compressContext({ classifier: wordClassifier, tokens }, { context, pins: [], budget: BUDGET }));
    expect(advanced).toEqual({ by: "model", condensed: 0, fellBack: [{ key: "notes", why: expect.stringMatching(why) }] });
  });

  it("sends no secret, not even a split one, and no more than the input limit", async () => {
    const key = [
      "-----BEGIN PRIV",
      "ATE KEY-----\n",
      "MIIEvQIBADANBgkqhkiG9w0BAQEFAASC\n".repeat(40),
      "-----END PRIV",
      "ATE KEY-----",
    ].join("");
    const token = ["gh", "p_", "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"].join("");
    const messages = Array.from({ length: 80 }, (_, turn) => ({
      role: "tool",
      content: `${key}\n{"token":"${token}"} turn ${turn}. ${STORY}`,
    }));
    const { asked } = await compress(() => "", { context: { messages }, focus: `why ${token} fails` });
    expect(asked).toHaveLength(1);
    expect(JSON.stringify(asked)).not.toMatch(/MIIEvQ|a1B2c3/);
    expect(asked[0]?.focus).toBe("why [TOKEN_1] fails");
    expect(asked[0]?.text).toContain("turn 79");
    expect(count(asked[0]?.text ?? "")).toBeLessThanOrEqual(1_000);
  });

  it("keeps the budget for any answer, and asks for the four largest entries at most", async () => {
    const context = Object.fromEntries(Array.from({ length: 6 }, (_, index) => [`notes${index}`, `${index} ${log(20 + index)}`]));
    for (const share of [0.5, 1, 3]) {
      const { asked, advanced, ...shaped } = await compress(({ text, budgetTokens }) => text.slice(0, budgetTokens * 4 * share), {
        context,
      });
      expect(asked).toHaveLength(4);
      expect(shaped.tokensAfter).toBeLessThanOrEqual(400);
      expect((advanced?.condensed ?? 0) + (advanced?.fellBack.length ?? 0)).toBe(4);
    }
  });
});
