import { describe, expect, it } from "vitest";
import { countTokens } from "gpt-tokenizer/encoding/o200k_base";
import { countingInTurns, tokenCounter } from "./token-counter.ts";

const exact = (text: string): number => countTokens(text, { disallowedSpecial: new Set() });

const PROSE = `The agent's plan wasn't saved: "retry" failed 3 times at /srv/app-2/main.ts:114. It'd said {"error":"E_CONN","n":[1,2,30000]}. `;

describe("the o200k counter", () => {
  const counter = tokenCounter("o200k");

  it("counts as the encoding does, at once or in turns", async () => {
    const text = PROSE.repeat(1_000);
    const count = await counter.load();
    expect(count(text)).toBe(exact(text));
    expect(await counter.count(`${text}.`)).toBe(exact(`${text}.`));
  });

  it("counts special tokens as text", async () => {
    expect(await counter.count("<|endoftext|>")).toBeGreaterThan(1);
  });

  it.each([["a"], [" "], ["="], ["é"], ["aé"], ["\u{1F600}"]])("counts 100,000 times %j in acceptable time", async (text) => {
    const begin = performance.now();
    const count = await counter.load();
    const tokens = count(text.repeat(100_000));
    expect(tokens).toBeGreaterThan(100);
    // Takes milliseconds; without splitting it takes many seconds.
    expect(performance.now() - begin).toBeLessThan(3_000);
  });

  it("lets other work run while it counts a long text", async () => {
    await counter.load();
    let turns = 0;
    const ticking = setInterval(() => (turns += 1), 0);
    await counter.count(PROSE.repeat(20_000));
    clearInterval(ticking);
    expect(turns).toBeGreaterThan(5);
  });
});

describe("the estimate for Claude", () => {
  it("is a token for every 3.5 bytes, and never less than o200k counts", async () => {
    const count = await tokenCounter("claude-estimate").load();
    expect(count("a".repeat(35))).toBe(10);
    expect(count("1 2 3 4 5 6 7 8 9")).toBe(exact("1 2 3 4 5 6 7 8 9"));
  });
});

describe("counting in turns", () => {
  it("counts a repeated text once, and again after it was evicted", async () => {
    let asked = 0;
    const counter = countingInTurns(
      async () =>
        function* (text) {
          asked += 1;
          yield;
          return text.length;
        },
    );
    const count = await counter.load();
    expect([count("again"), count("again"), await counter.count("again")]).toEqual([5, 5, 5]);
    expect(asked).toBe(1);
    for (let other = 0; other < 70_000; other += 1) count(`another text ${other}`);
    asked = 0;
    count("again");
    expect(asked).toBe(1);
  });

  it("loads again after loading failed", async () => {
    let tries = 0;
    const counter = countingInTurns(async () => {
      tries += 1;
      if (tries === 1) throw new Error("no such file");
      return function* () {
        yield;
        return 1;
      };
    });
    await expect(counter.count("text")).rejects.toThrow("no such file");
    expect(await counter.count("text")).toBe(1);
  });
});
