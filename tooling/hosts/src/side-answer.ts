import type { HostName } from "./scenario.ts";

/** Parts of prompts by which hosts ask for a summary of the conversation, tools offered or not. */
const SUMMARY_PROMPTS = ["create a detailed summary of the conversation", "<state_snapshot>", "CONTEXT CHECKPOINT COMPACTION"];
/** Claude Code asks the model, tools offered, for a prompt that the person might write next. */
const SUGGESTION_PROMPT = "[SUGGESTION MODE";

const SUMMARY =
  "<analysis>The conversation so far.</analysis>\n<summary>\nWork on the repository was done as the messages above tell. Read the files again before you change them.\n</summary>";

const TITLE = "Work on the repository";

/** Answers every JSON request of hosts outside of the conversation: a title, a topic, a choice of model, the next speaker. */
const HARMLESS = JSON.stringify({
  title: TITLE,
  isNewTopic: false,
  reasoning: "As it is.",
  complexity_reasoning: "As it is.",
  complexity_score: 50,
  model_choice: "pro",
  next_speaker: "user",
});

/** The asking host, and whether the request offers the agent's tools. */
interface AskedHost {
  readonly host: HostName | undefined;
  readonly hasTools: boolean;
}

/** Returns the answer to a request that is not a turn of the agent; `undefined` for a turn. */
export function sideAnswer(body: unknown, { host, hasTools }: AskedHost): string | undefined {
  const last = lastMessage(body);
  if (SUMMARY_PROMPTS.some((part) => last.includes(part))) return SUMMARY;
  // opencode takes the whole answer for the title.
  if (!hasTools) return host === "opencode" ? TITLE : HARMLESS;
  return last.includes(SUGGESTION_PROMPT) ? "" : undefined;
}

/** The last entry of the conversation as JSON text, in whichever field a protocol keeps it. */
function lastMessage(body: unknown): string {
  const { messages, input, contents } = (body ?? {}) as Record<string, unknown>;
  const conversation = [messages, input, contents].find(Array.isArray);
  return JSON.stringify(conversation?.at(-1) ?? "");
}
