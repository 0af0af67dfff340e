import { openIn, questionsIn } from "./note-texts.ts";
import type { WorkNotes } from "./work-notes.ts";

/** The reason why work is left to do, in a few words; `undefined` when nothing shows that. */
export function isUnfinished(notes: WorkNotes): string | undefined {
  const { plan, commands, replies, last } = notes;
  if (last === "interrupted") return "interrupted by the person";
  if (last === "prompt") return "the last request is not answered";
  if (last === "call" || last === "result") return "stopped in the middle of a turn";
  const left = plan.filter(({ state }) => state !== "done").length;
  if (left > 0) return `${left} of ${plan.length} steps of the plan are open`;
  const failed = commands.at(-1)?.outcome === "failed" ? commands.at(-1)?.command : undefined;
  if (failed !== undefined) return `the last command failed: ${failed}`;
  const reply = replies.at(-1)?.text ?? "";
  if (questionsIn(reply).length > 0) return "the last reply asks a question";
  return openIn(reply).length > 0 ? "the last reply names what is left" : undefined;
}
