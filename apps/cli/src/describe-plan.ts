import type { FileChange, SetupPlan } from "@workrail/host-setup";
import { escapeJson, escapeText, inOwnName } from "@workrail/process";
import { structuredPatch } from "diff";
import { styled } from "./print.ts";

const CONTEXT_LINES = 1;
/** Most lines shown of one file. */
const MOST_LINES = 60;
/** Limits the comparison: texts without common lines take long. */
const TIMEOUT_MS = 2_000;

/** Describes a set-up: each file with the lines that change. */
export function describePlan(title: string, { scope, changes, unchanged, faults, notes }: SetupPlan): string {
  const lines = [
    styled("bold", scope === "project" ? `${title}, for this project` : title, process.stdout),
    ...changes.flatMap((change) => [
      `  ${escapeText(change.file)}: ${escapeText(change.description)}`,
      ...linesOf(change).map((line) => `    ${line}`),
    ]),
    ...unchanged.map((file) => `  ${escapeText(file)}: nothing to change`),
    ...faults.flatMap(({ message, hint }) => [
      `  ${styled("yellow", escapeText(message), process.stdout)}`,
      ...(hint === undefined ? [] : [`    ${escapeText(hint)}`]),
    ]),
    ...notes.map((text) => `  ${escapeText(inOwnName(text))}`),
  ];
  return `${lines.join("\n")}\n`;
}

function linesOf({ before = "", after = "" }: FileChange): readonly string[] {
  const patch = structuredPatch("", "", before, after, undefined, undefined, { context: CONTEXT_LINES, timeout: TIMEOUT_MS });
  if (patch === undefined) return ["(too different to compare)"];
  const lines = patch.hunks.flatMap(({ lines: inHunk }, index) => [
    ...(index === 0 ? [] : ["..."]),
    ...inHunk.filter((line) => !line.startsWith("\\")).map(coloured),
  ]);
  return lines.length <= MOST_LINES ? lines : [...lines.slice(0, MOST_LINES), `... and ${lines.length - MOST_LINES} more lines`];
}

function coloured(line: string): string {
  const text = `${line.slice(0, 1)} ${escapeJson(line.slice(1).replace(/\r$/u, ""))}`;
  if (line.startsWith("+")) return styled("green", text, process.stdout);
  return line.startsWith("-") ? styled("red", text, process.stdout) : text.trimEnd();
}
