import { singularsOf, wordsOf } from "../classify/key-words.ts";
import type { Context, JsonValue } from "../model/context.ts";

/** What one who takes work over asks for, in the order in which they ask. */
export const SECTIONS = [
  "Goal",
  "State",
  "Decisions",
  "Next steps",
  "Open questions",
  "Files",
  "Commands and outcomes",
  "Also saved",
] as const;
export type Section = (typeof SECTIONS)[number];

const words = (text: string): readonly string[] => text.trim().split(/\s+/u);

/** Singular nouns by the section that a key with them belongs to. What is not here is also saved. */
const NOUNS: ReadonlyMap<string, Section> = new Map(
  Object.entries({
    Goal: words(`goal objective aim mission purpose intent target deliverable request requirement task ask assignment problem ticket story
      brief criterion constraint scope specification spec instruction`),
    State: words("state status progress summary situation recap overview understanding finding analysis insight phase milestone context"),
    Decisions: words("decision choice rationale adr verdict approach architecture design strategy conclusion resolution tradeoff"),
    "Next steps": words("next todo plan step action backlog followup remainder roadmap agenda subtask"),
    "Open questions": words("question unknown blocker risk issue uncertainty assumption doubt concern obstacle impediment bug"),
    Files: words("file path diff patch code change module directory hunk snippet"),
    "Commands and outcomes": words("command cmd output result test build run shell script error failure outcome log stdout stderr"),
  }).flatMap(([section, nouns]) => nouns.map((noun): [string, Section] => [noun, section as Section])),
);

/** The section of an entry: the last word of its key that is in a table decides, so that `openQuestions` and `filesChanged` do. */
export function sectionOf(key: string): Section {
  for (const word of wordsOf(key).toReversed()) {
    for (const form of singularsOf(word)) {
      const section = NOUNS.get(form);
      if (section !== undefined) return section;
    }
  }
  return "Also saved";
}

const LONGEST_GOAL = 160;

/** What a context says that it is for, in one short line; `undefined` when it does not say. */
export function goalOf(context: Context): string | undefined {
  const goals = Object.entries(context).filter(([key]) => sectionOf(key) === "Goal");
  const text = goals.map(([, value]) => firstText(value)).find((found) => found !== undefined);
  if (text === undefined) return undefined;
  const line = text.replaceAll(/[\s\p{Cc}\p{Cf}]+/gu, " ").trim();
  return line.length <= LONGEST_GOAL ? line : `${line.slice(0, LONGEST_GOAL - 3).toWellFormed()}...`;
}

/** The first text in a value that says anything. */
function firstText(value: JsonValue): string | undefined {
  if (typeof value === "string") return value.trim() === "" ? undefined : value;
  if (typeof value !== "object" || value === null) return undefined;
  for (const member of Object.values<JsonValue>(value)) {
    const text = firstText(member);
    if (text !== undefined) return text;
  }
  return undefined;
}
