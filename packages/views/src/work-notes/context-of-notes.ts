import type { Context, JsonObject, JsonValue } from "@workrail/core";
import { cut } from "../handoff/read/plain.ts";
import { openIn, questionsIn } from "./note-texts.ts";
import { isUnfinished } from "./is-unfinished.ts";
import { LONGEST_NOTED, type NotedCommand, type NotedFile, type NotedStep, type NotedText, type WorkNotes } from "./work-notes.ts";

/** The number of last prompts that are kept whole, and of replies at least. */
const MOST_LATER = 6;
const LEAST_REPLIES = 3;
/** Characters: a turn of short replies ("Let me run it.") needs more of them to show its subject. */
const LEAST_SAID = 600;

/**
 * Turns notes into the context of a checkpoint: goal, prohibitions, plan, failures, decisions, files, commands and
 * the last messages. It uses the keys that a handoff understands, and leaves out empty entries.
 *
 * @param session facts of the host's session, copied unchanged.
 */
export function contextOfNotes(notes: WorkNotes, session: JsonObject = {}): Context {
  const [first, ...later] = notes.prompts;
  const lastReply = notes.replies.at(-1)?.text ?? "";
  const isAnswered = notes.last === "reply";
  const members: Readonly<Record<string, JsonValue>> = {
    goal: beginningOf(first?.text ?? ""),
    prohibitions: notes.prohibitions,
    laterRequests: later.slice(-MOST_LATER).map(({ text }) => text),
    status: isUnfinished(notes) ?? "",
    nextSteps: isAnswered ? openIn(lastReply).slice(-4) : [],
    openQuestions: isAnswered ? questionsIn(lastReply) : [],
    plan: notes.plan.map(({ text, state }) => ({ step: text, status: state })),
    lastSteps: notes.steps.map(toldStep).toReversed(),
    outputOfLastStep: isCutOff(notes) ? (notes.output ?? "") : "",
    lastMessages: lastMessagesOf(notes),
    failingCommands: notes.commands
      .filter(({ outcome }) => outcome === "failed")
      .toReversed()
      .slice(0, 6)
      .map(toldFailure),
    errors: notes.errors.map(({ tool, text }) => `${tool}: ${text}`),
    decisions: notes.decisions,
    requirements: notes.requirements,
    filesChanged: pathsOf(notes, ({ edits }) => edits > 0),
    filesRead: pathsOf(notes, ({ edits, reads }) => edits === 0 && reads > 0),
    commands: commandsOf(notes),
    background: restOf(first?.text ?? ""),
    filesSeen: pathsOf(notes, ({ isSeen }) => isSeen === true).slice(0, 40),
    summaryOfEarlierTurns: notes.summary ?? "",
    ownCheckpoints: notes.saves.map((save) => ({ ...save }) as JsonObject),
    session,
  };
  return Object.fromEntries(Object.entries(members).filter(([, value]) => !isBlank(value)));
}

/** Characters of each value. */
const BRIEF = { goal: 320, sentence: 180, reply: 260 } as const;

/** A short form in a few lines, for a budget of some hundred tokens. */
export function briefContextOfNotes(notes: WorkNotes): Context {
  const { prompts, prohibitions, plan, commands, replies } = notes;
  const isAnswered = notes.last === "reply";
  const lastReply = replies.at(-1)?.text ?? "";
  const failed = commands.findLast(({ outcome }) => outcome === "failed");
  const current = plan.find(({ state }) => state === "active") ?? plan.find(({ state }) => state !== "done");
  const members: Readonly<Record<string, JsonValue>> = {
    goal: inOneLine(prompts[0]?.text ?? "", BRIEF.goal),
    prohibitions: prohibitions.slice(-3).map((text) => inOneLine(text, BRIEF.sentence)),
    lastRequest: prompts.length < 2 ? "" : inOneLine(prompts.at(-1)?.text ?? "", BRIEF.sentence),
    status: isUnfinished(notes) ?? "",
    nextStep: inOneLine((isAnswered ? openIn(lastReply).at(-1) : undefined) ?? current?.text ?? "", BRIEF.sentence),
    lastStep: inOneLine(lastReply, BRIEF.reply),
    lastCommand: inOneLine(commands.at(-1)?.command ?? "", BRIEF.sentence),
    failing: failed === undefined ? "" : inOneLine(`${failed.command}: ${failed.error ?? ""}`, BRIEF.sentence),
    filesChanged: pathsOf(notes, ({ edits }) => edits > 0).slice(0, 4),
  };
  return Object.fromEntries(Object.entries(members).filter(([, value]) => !isBlank(value)));
}

function inOneLine(text: string, most: number): string {
  return cut(text.replaceAll(/\s+/gu, " ").trim(), most);
}

function isBlank(value: JsonValue): boolean {
  return (
    value === "" ||
    (Array.isArray(value) && value.length === 0) ||
    (typeof value === "object" && value !== null && Object.keys(value).length === 0)
  );
}

/** Characters of the first prompt that serve as the goal. */
const LONGEST_GOAL = 1_000;

function beginningOf(prompt: string): string {
  return prompt.slice(0, endOfGoal(prompt)).trimEnd();
}

function restOf(prompt: string): string {
  return prompt.slice(endOfGoal(prompt)).trim();
}

/** Cuts at the end of a line, or else between two words. */
function endOfGoal(prompt: string): number {
  if (prompt.length <= LONGEST_GOAL) return prompt.length;
  const line = prompt.lastIndexOf("\n", LONGEST_GOAL);
  return line > LONGEST_GOAL / 2 ? line : Math.max(prompt.lastIndexOf(" ", LONGEST_GOAL), LONGEST_GOAL / 2);
}

/** Characters of a command beside its result: the result of a long script matters more than the script. */
const LONGEST_DONE = 120;

function toldStep({ did, said }: NotedStep): string {
  return said === undefined ? `${did} (no result yet)` : `${cut(did, LONGEST_DONE)}${said === "" ? "" : ` -> ${said}`}`;
}

/** True when work stopped in the middle of a turn: no reply describes the last output yet. */
function isCutOff({ last }: WorkNotes): boolean {
  return last === "call" || last === "result" || last === "interrupted";
}

function lastMessagesOf({ replies, prompts, last }: WorkNotes): JsonValue {
  const said = lastOf(replies).map(({ text }) => ({ role: "assistant", content: text }));
  const asked = prompts.length > 1 && last !== "reply" ? prompts.slice(-1).map(({ text }) => ({ role: "user", content: text })) : [];
  return [...said, ...asked];
}

function lastOf(replies: readonly NotedText[]): readonly NotedText[] {
  let characters = 0;
  const first = replies.findLastIndex(({ text }, at) => (characters += text.length) >= LEAST_SAID && replies.length - at >= LEAST_REPLIES);
  return replies.slice(Math.max(0, first));
}

function toldFailure({ command, exitCode, error = "" }: NotedCommand): JsonValue {
  return { command, ...(exitCode === undefined ? {} : { exitCode }), error };
}

/** The latest first. */
function pathsOf({ files }: WorkNotes, isWanted: (file: NotedFile) => boolean): string[] {
  return files
    .filter(isWanted)
    .map(({ path }) => path)
    .toReversed();
}

/** Commands that ran more than once are likely to run again. */
function commandsOf({ commands, steps }: WorkNotes): string[] {
  // The list of last steps already has them.
  const told = new Set(steps.flatMap(({ did, said }) => (said === undefined || did.length <= LONGEST_DONE ? [did] : [])));
  const latest = commands.filter(({ command, runs }) => runs > 1 || !told.has(command)).toReversed();
  const often = latest.filter(({ runs }) => runs > 1);
  const once = latest.filter(({ runs }) => runs === 1);
  return [...often, ...once].map(({ command, runs, outcome, said }) => {
    const counts = [...(runs > 1 ? [`${runs} times`] : []), ...(outcome === undefined ? [] : [outcome])];
    return `${command}${counts.length === 0 ? "" : ` (${counts.join(", ")})`}${said === undefined || said.length > 80 ? "" : `: ${cut(said, LONGEST_NOTED.sentence)}`}`;
  });
}
