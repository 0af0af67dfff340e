import { spawnSync } from "node:child_process";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { compareRuns } from "./compare-runs.ts";
import type { Ran } from "./engine-process.ts";

const MAIN = fileURLToPath(new URL("main.ts", import.meta.url));

it("ends with the same result when it is killed in its second phase and resumed", () => {
  const { status, stdout, stderr } = spawnSync(process.execPath, ["--conditions=@workrail/source", MAIN], { encoding: "utf8" });
  expect({ status, stdout, stderr }).toEqual({
    status: 0,
    stderr: "",
    stdout: [
      "Uninterrupted: 10 items.",
      'Killed after "register honey.txt": 7 items, no result.',
      'Resumed: 3 items, from "register milk.txt".',
      "Ends of phases that were saved: collect, register.",
      "It was killed before its end.",
      "Each item was done once.",
      "The result is the same, byte for byte.",
      "",
    ].join("\n"),
  });
});

it("notices when nothing was killed, when items are missing or come twice, and when results differ", () => {
  const whole: Ran = { done: ["a", "b"], result: { total: 2 }, signal: null };
  const killed: Ran = { done: ["a"], result: undefined, signal: "SIGKILL" };
  const resumed: Ran = { done: ["b"], result: { total: 2 }, signal: null };
  const judged = (runs: Partial<Parameters<typeof compareRuns>[0]>): boolean[] =>
    compareRuns({ whole, killed, resumed, ...runs }).map(({ isGood }) => isGood);
  expect(judged({})).toEqual([true, true, true]);
  expect(judged({ killed: { ...killed, signal: null } })).toEqual([false, true, true]);
  expect(judged({ resumed: { ...resumed, done: ["a", "b"] } })).toEqual([true, false, true]);
  expect(judged({ killed: { ...killed, done: [] } })).toEqual([true, false, true]);
  expect(judged({ resumed: { ...resumed, result: { total: 3 } } })).toEqual([true, true, false]);
  expect(judged({ resumed: { ...resumed, result: undefined }, whole: { ...whole, result: undefined } })).toEqual([true, true, false]);
});
