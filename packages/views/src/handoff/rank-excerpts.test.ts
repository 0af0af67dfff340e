import { describe, expect, it } from "vitest";
import { atOnce, type Context } from "@workrail/core";
import { rankExcerpts } from "./rank-excerpts.ts";

const RULE = "Always run the whole test suite before you push anything.";
const others = Array.from({ length: 6 }, (_, at) => `Part ${at} of the project reads its own settings from a file of that name.`);

function scoreOf(text: string, context: Context): number {
  const ranked = atOnce(rankExcerpts(context, { classifications: new Map() }));
  return ranked.find((excerpt) => excerpt.text === text)?.score ?? Number.NaN;
}

describe("rankExcerpts", () => {
  it.each(["", "1. ", "- "])("lowers a sentence behind the mark %j that a short list of another entry has", (mark) => {
    const background = [...others, `${mark}${RULE}`, ...others.toReversed()].join("\n");
    const alone = scoreOf(`${mark}${RULE}`, { background });
    expect(scoreOf(`${mark}${RULE}`, { background, requirements: [RULE] })).toBeLessThan(alone - 30);
  });

  it("ranks a step that reads like code by its place among the steps", () => {
    const lastSteps = ["python report.py -> {total: 12}", ...others.map((text) => `looked up: ${text}`)];
    const last = scoreOf(lastSteps[0] ?? "", { lastSteps });
    expect(last).toBeGreaterThan(scoreOf(lastSteps[1] ?? "", { lastSteps }));
  });
});
