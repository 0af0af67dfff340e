import { describe, expect, it } from "vitest";
import { type MeasuredPack, measurePack } from "./measure-packs.ts";
import { recordings } from "./recordings.ts";

const measured = await Promise.all(
  (await recordings()).map(async (recording): Promise<[string, MeasuredPack]> => [
    `${recording.scenario} on ${recording.host}`,
    await measurePack(recording),
  ]),
);

describe("a pack of 1,500 tokens", () => {
  it("is measured on at least ten sessions", () => {
    expect(measured.length).toBeGreaterThanOrEqual(10);
  });

  it.each(measured)("answers the questions about %s within its budget", (_name, { tokens, questions, unanswered }) => {
    expect(tokens).toBeLessThanOrEqual(1_500);
    expect(questions).toBe(10);
    expect(unanswered.length).toBeLessThanOrEqual(1.5);
  });

  it("keeps most paths and commands that later turns use", () => {
    const kept = (of: "paths" | "commands"): number => {
      const all = measured.flatMap(([, pack]) => pack[of].all).length;
      return 1 - measured.flatMap(([, pack]) => pack[of].missing).length / all;
    };
    expect(kept("paths")).toBeGreaterThanOrEqual(0.85);
    expect(kept("commands")).toBeGreaterThanOrEqual(0.85);
  });
});
