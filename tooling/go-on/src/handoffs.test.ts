import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { SETS, statesOf } from "./all-states.ts";
import { handOver } from "./hand-over.ts";
import { answers } from "./read-answer.ts";
import type { WorkingState } from "./working-state.ts";

const FOLDER = join(import.meta.dirname, "../../../docs/explanation/handoffs");
const BUDGET = 1_000;
const SHOWN = [
  "minor-units-monorepo",
  "knotentausch-kiel",
  "huerta-de-sal",
  "heron-raidz-dumps",
  "phare-kerledan",
  "release-conductor",
  "handover-localisation",
  "cangku-yiku-loop",
  "larch-iv-widen",
  "incident-validateurs",
];

const all = (await Promise.all(SETS.map((set) => statesOf(set)))).flat();
const states = SHOWN.flatMap((name) => all.filter((state) => state.name === name));

/** Returns the summary alone, without the rest of the answer. */
async function summaryOf(state: WorkingState): Promise<string> {
  const [handed] = await handOver(state, [BUDGET], ["summary"]);
  const { summary } = JSON.parse(handed?.text ?? "{}") as { summary: string };
  return `${summary}\n`;
}

describe("handoff pages", () => {
  it.each(states)("show the summary of $name", async (state) => {
    await expect(fenced(await summaryOf(state))).toMatchFileSnapshot(join(FOLDER, `${state.name}.md`));
  });

  it("count the questions that each summary answers, before and now", async () => {
    const rows = await Promise.all(
      states.map(async (state) => {
        const { name, kind, language, context, questions } = state;
        const count = (text: string): number => questions.filter((question) => answers(text, question)).length;
        const before = count(await readFile(join(FOLDER, `${name}-before.md`), "utf8"));
        const size = `${Math.round(Buffer.byteLength(JSON.stringify(context)) / 1_000)} KB`;
        const files = `[${before}](${name}-before.md) | [${count(await summaryOf(state))}](${name}.md)`;
        return `| ${name}: ${kind.replaceAll("|", "/")} | ${language} | ${size} | ${files} |`;
      }),
    );
    const table = ["| state | language | size | before | now |", "| --- | --- | --- | --- | --- |", ...rows].join("\n");
    const page = await readFile(join(FOLDER, "README.md"), "utf8");
    expect(cells(page)).toEqual(cells(table));
  });
});

/** Returns the cells of a table's rows, however it is aligned. */
function cells(text: string): readonly (readonly string[])[] {
  const rows = text.split("\n").filter((line) => line.startsWith("|") && !/^[|\s:-]+$/u.test(line));
  return rows.map((row) => row.split("|").map((cell) => cell.trim()));
}

function fenced(text: string): string {
  return `\`\`\`\`text\n${text}\`\`\`\`\n`;
}
