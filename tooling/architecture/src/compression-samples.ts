import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { wordClassifier } from "@workrail/classifier";
import type { Context } from "@workrail/core";
import { compressContext, type ShapedContext } from "@workrail/views";
import { tokenCounter } from "../../../packages/runtime/src/token-counter.ts";
import { ROOT } from "./workspace.ts";

/** Page with the compressed samples. */
export const SAMPLES_PAGE = "docs/explanation/compression.md";
const FOLDER = "docs/explanation/samples";

/** A context that the page shows compressed. */
export interface Sample {
  readonly title: string;
  /** Token budget of the compressed context. */
  readonly budgetTokens: number;
  readonly focus?: string;
  readonly context: Context;
}

/** Returns the samples by the path of their file, relative to the page. */
export function readSamples(): ReadonlyMap<string, Sample> {
  const files = globSync("*.json", { cwd: join(ROOT, FOLDER) }).toSorted();
  return new Map(files.map((file) => [`samples/${file}`, JSON.parse(readFileSync(join(ROOT, FOLDER, file), "utf8")) as Sample]));
}

/** Returns the result of `workflow_context_compress`. */
export async function compressSample({ context, budgetTokens, focus }: Sample): Promise<ShapedContext> {
  const room = { tokens: budgetTokens, characters: 40_000 };
  const ceiling = { tokens: 10_000, characters: 40_000 };
  return compressContext(
    { classifier: wordClassifier, tokens: tokenCounter("o200k") },
    { context, pins: [], focus, budget: { wanted: room, ceiling, of: "context" } },
  );
}

const INTRODUCTION =
  "Ten contexts and the results of `workflow_context_compress` with the strategy `auto`. Each file has the whole context, the budget and the\n" +
  "focus, if there is one. Line breaks inside texts are shown as line breaks.";

/** Returns the section of the page with all samples. */
export async function sampleSection(): Promise<string> {
  const shown = await Promise.all([...readSamples()].map(async ([file, sample]) => showSample(file, sample)));
  return `\n${INTRODUCTION}\n\n${shown.join("\n")}`;
}

async function showSample(file: string, sample: Sample): Promise<string> {
  const { context, tokensBefore, tokensAfter, report } = await compressSample(sample);
  const dropped = report?.entries.filter(({ outcome }) => outcome === "dropped").map(({ key }) => `\`${key}\``) ?? [];
  const facts = [
    `[Before](${file}): ${tokensBefore} tokens. Budget: ${sample.budgetTokens}. After: ${tokensAfter}.`,
    ...(sample.focus === undefined ? [] : [`Focus: "${sample.focus}"`]),
    ...(dropped.length === 0 ? [] : [`Left out, and named in the report: ${dropped.join(", ")}.`]),
  ];
  // Line breaks are shown as such, and indented, so that no line of a sample looks like a line of the page.
  const text = JSON.stringify(context, null, 2).replaceAll(/(?<!\\)\\n/gu, "\n      ");
  return `### ${sample.title}\n\n${facts.join("\n")}\n\n\`\`\`text\n${text}\n\`\`\`\n`;
}
