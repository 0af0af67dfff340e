/**
 * Prints the savings of `reduce` on recorded trajectories, and whether values needed later are still present.
 *
 * Run `node --conditions=@workrail/source tooling/bench/src/reduce-figures.ts FOLDER`, where the folder has `tau-tasks.json` and
 * `swe-trajectories.json`: lists of `{ messages, gold?: string[], submission?: string }`. Exits with 1 when a set misses its limit.
 */
import fs from "node:fs";
import path from "node:path";
import type { JsonValue } from "@workrail/core";
import { reduceValue } from "@workrail/views";
import { countTokens } from "gpt-tokenizer/encoding/o200k_base";

interface Trajectory {
  readonly messages: readonly { readonly role: string; readonly content?: JsonValue }[];
  readonly gold?: readonly string[];
  /** A patch: its changed lines and files name the values that were needed. */
  readonly submission?: string | null;
}

const SETS = [
  { file: "tau-tasks.json", leastRatio: 1.35 },
  { file: "swe-trajectories.json", leastRatio: 1.7 },
];
const LEAST_KEPT = 0.98;

const [folder] = process.argv.slice(2);
if (folder === undefined) throw new Error("Name the folder that holds tau-tasks.json and swe-trajectories.json.");
for (const { file, leastRatio } of SETS) {
  const figures = measure(JSON.parse(fs.readFileSync(path.join(folder, file), "utf8")) as Trajectory[]);
  const isReached = figures.ratio >= leastRatio && figures.kept >= LEAST_KEPT;
  console.log(
    `${file}: ${figures.ratio.toFixed(3)} times fewer tokens, ${(figures.kept * 100).toFixed(2)}% of the values kept${isReached ? "" : " - NOT REACHED"}`,
  );
  if (!isReached) process.exitCode = 1;
}

function measure(trajectories: readonly Trajectory[]): { ratio: number; kept: number } {
  let before = 0;
  let after = 0;
  let wanted = 0;
  let kept = 0;
  for (const trajectory of trajectories) {
    const messages = beforeSubmission(trajectory);
    const whole = JSON.stringify(messages);
    const reduced = JSON.stringify(reduceValue(messages));
    before += countTokens(whole);
    after += countTokens(reduced);
    const gold = [...new Set(trajectory.gold ?? namesOf(trajectory.submission ?? ""))].filter((value) => whole.includes(value));
    wanted += gold.length;
    kept += gold.filter((value) => reduced.includes(value)).length;
  }
  return { ratio: before / after, kept: kept / wanted };
}

/** Removes system messages, which every session has, and the final answer, from which the values are taken. */
function beforeSubmission({ messages, submission }: Trajectory): Trajectory["messages"] {
  const said = messages.filter((message) => message.role !== "system");
  const begin = submission?.slice(0, 200) ?? "";
  const end = begin === "" ? -1 : said.findLastIndex((message) => typeof message.content === "string" && message.content.includes(begin));
  return end > 0 ? said.slice(0, end) : said;
}

function namesOf(patch: string): string[] {
  const changed = patch.split("\n").filter((line) => /^[+-](?![+-])/.test(line));
  const files = [...patch.matchAll(/^diff --git .* b\/(.+)$/gm)].map((found) => found[1] ?? "");
  return [...files, ...changed.flatMap((line) => line.match(/[A-Za-z_][\w.]{5,}/g) ?? [])];
}
