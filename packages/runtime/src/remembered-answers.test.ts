import { describe, expect, it } from "vitest";
import { nodeDigests } from "./environment.ts";
import { rememberingAnswers } from "./remembered-answers.ts";

function counted(answer: (call: number) => Promise<string>) {
  const asked: string[] = [];
  const condenser = rememberingAnswers(
    {
      name: "counted",
      condense(text, budgetTokens, focus) {
        asked.push(`${text} ${budgetTokens} ${focus ?? ""}`);
        return answer(asked.length);
      },
    },
    nodeDigests,
  );
  return { asked, condenser };
}

describe("rememberingAnswers", () => {
  it("asks once for the same text, budget and focus, also for simultaneous calls", async () => {
    const { asked, condenser } = counted(async (call) => `answer ${call}`);
    expect(await Promise.all([condenser.condense("a", 1), condenser.condense("a", 1)])).toEqual(["answer 1", "answer 1"]);
    for (const [text, budget, focus] of [
      ["b", 1],
      ["a", 2],
      ["a", 1, "f"],
      ["a", 1],
    ] as const)
      await condenser.condense(text, budget, focus);
    expect(asked).toEqual(["a 1 ", "b 1 ", "a 2 ", "a 1 f"]);
    expect(condenser.name).toBe("counted");
  });

  it("asks again after a failure", async () => {
    const { condenser } = counted(async (call) => (call === 1 ? Promise.reject(new Error("down")) : "up"));
    await expect(condenser.condense("a", 1)).rejects.toThrow("down");
    expect(await condenser.condense("a", 1)).toBe("up");
  });

  it("forgets the least recently used answer", async () => {
    const { asked, condenser } = counted(async () => "x");
    for (let text = 0; text < 64; text += 1) await condenser.condense(String(text), 1);
    await condenser.condense("0", 1);
    await condenser.condense("64", 1);
    await condenser.condense("0", 1);
    expect(asked).toHaveLength(65);
    await condenser.condense("1", 1);
    expect(asked).toHaveLength(66);
  });
});
