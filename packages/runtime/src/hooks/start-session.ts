import path from "node:path";
import { namedPaths } from "@workrail/views";
import { goalOf } from "@workrail/views/handoff-part";
import { contextOfNotes } from "@workrail/views/work-notes";
import { findDrift } from "../resume/find-drift.ts";
import { catchUp } from "./catch-up.ts";
import { findUnfinished, lastAt } from "./find-unfinished.ts";
import { type HookCall, hostSessionOf, sessionIdOf, stateFileOf } from "./hook-call.ts";
import { errorText, forgetFailures, readFailures } from "./hook-log.ts";
import { filesIn, type HookState, kept, readState, writeState } from "./hook-state.ts";
import { newState, stateOf } from "./new-state.ts";
import { readNewEvents } from "./read-session.ts";
import { estimated } from "./estimated.ts";
import { removeNotes } from "./forget-sessions.ts";
import { namesIn } from "./names-in.ts";
import { remarksOf, writePack } from "./resume-pack.ts";

/** Tokens of a pack after a compaction, and at the start of a new session. */
const COMPACTED_TOKENS = 1_500;
const STARTED_TOKENS = 300;

export interface Started {
  /** Text for the model; empty when there is nothing useful to say. */
  readonly text: string;
  readonly sessionId: string;
  readonly packTokens?: number | undefined;
  readonly transcriptTokens?: number | undefined;
  /** A failure to save, which the text reports. */
  readonly error?: unknown;
}

interface StartText extends Omit<Started, "error"> {
  /** The earlier session in the pack. */
  readonly continues?: HookState;
}

/** Catches up earlier sessions, then returns the text that the model needs to continue, by the kind of start. Reports a failure to save. */
export async function startSession(call: HookCall): Promise<Started> {
  const { host, payload, settings, places } = call;
  const sessionId = sessionIdOf(host, hostSessionOf(payload));
  const saves = settings.saves && !settings.isReadOnly;
  const caughtUp = await attempt(() => {
    if (settings.isSealed && !settings.isReadOnly) removeNotesInClear(call);
    return saves ? catchUp(call) : [];
  });
  const failures = caughtUp.error === undefined ? failureRemarks(call) : [cannotSave(caughtUp.error)];
  const { continues, ...told } = settings.resumes
    ? await tell(call, { sessionId, caughtUp: caughtUp.value ?? [], failures })
    : { text: remarksOf(failures), sessionId };
  const kept = await attempt(() => {
    if (continues !== undefined && saves) remember(call, sessionId, continues);
    if (failures.length > 0 && !settings.isReadOnly) forgetFailures(places);
  });
  return { ...told, error: caughtUp.error ?? kept.error };
}

interface Attempt<T> {
  readonly value?: T;
  readonly error?: unknown;
}

/** Runs a step and returns its error instead of throwing, so that the text for the model is not lost when the disk is full. */
async function attempt<T>(run: () => T | Promise<T>): Promise<Attempt<T>> {
  try {
    return { value: await run() };
  } catch (error) {
    return { error };
  }
}

function cannotSave(error: unknown): string {
  return `Workrail cannot save automatically: ${errorText(error)}. Tell the user; \`workrail doctor\` shows details.`;
}

/** Notes from before the store was sealed. */
function removeNotesInClear({ places, settings }: HookCall): void {
  const files = namesIn(places.sessions).flatMap((name) => filesIn(path.join(places.sessions, name)));
  const isClear = files.some(({ file }) => readState(file)?.sessionId !== "") || namesIn(places.refused).length > 0;
  if (isClear) removeNotes(settings.dataDir);
}

interface Start {
  readonly sessionId: string;
  readonly caughtUp: readonly HookState[];
  readonly failures: readonly string[];
}

async function tell(call: HookCall, start: Start): Promise<StartText> {
  const { failures, sessionId } = start;
  const nothing = { text: remarksOf(failures), sessionId };
  switch (call.payload.source) {
    case "resume":
      return { ...nothing, text: remarksOf([...failures, ...(await driftOfOwn(call, sessionId))]) };
    case "compact":
      return afterCompaction(call, start);
    case "clear": {
      const last = findUnfinished(call, sessionId, start.caughtUp);
      return last === undefined ? nothing : { ...nothing, text: remarksOf([...failures, pointerTo(last, call)]) };
    }
    default:
      return atStartup(call, start);
  }
}

async function atStartup(call: HookCall, { sessionId, caughtUp, failures }: Start): Promise<StartText> {
  const last = findUnfinished(call, sessionId, caughtUp);
  if (last === undefined) return { text: remarksOf(failures), sessionId };
  // Another folder may falsely claim to be a clone of the repository: it gets no text of the work.
  if (!isSameProject(last, call)) return { text: remarksOf([...failures, pointerTo(last, call)]), sessionId };
  const remarks = [...failures, ...lastSeen(last, call), ...(await driftOf(last, call))];
  return { ...(await packOf(last, { budgetTokens: STARTED_TOKENS, remarks, sessionId })), continues: last };
}

async function afterCompaction(call: HookCall, { sessionId, failures }: Start): Promise<Started> {
  const known = readState(stateFileOf(call, sessionId));
  const { state } = await readNewEvents(known ?? newState(call), call);
  if (state.notes.counts.prompts === 0) return { text: remarksOf(failures), sessionId };
  // The host has put its own summary before the model.
  const own = { ...state, notes: { ...state.notes, summary: undefined } };
  return packOf(own, {
    budgetTokens: COMPACTED_TOKENS,
    remarks: [...failures, "The conversation before this point was compacted."],
    sessionId,
  });
}

async function packOf(
  state: HookState,
  { budgetTokens, remarks, sessionId }: { readonly budgetTokens: number; readonly remarks: readonly string[]; readonly sessionId: string },
): Promise<Started> {
  const savedAt = new Date(lastAt(state)).toISOString();
  const text = await writePack({ notes: state.notes, sessionId: state.sessionId, savedAt, budgetTokens, remarks });
  return { text, sessionId, packTokens: estimated(text), transcriptTokens: Math.ceil(state.conversation.size / 4) };
}

/** Records that the new session continues an earlier one; its checkpoints then name that session. */
function remember(call: HookCall, sessionId: string, { sessionId: continues }: HookState): void {
  const file = stateFileOf(call, sessionId);
  writeState(file, kept({ ...stateOf(newState(call), file), continues }, call.settings.isSealed));
}

function isSameProject({ project }: HookState, { place }: HookCall): boolean {
  return project !== undefined && project === place.project;
}

const JUST_NOW_MS = 2 * 60_000;

/** Returns a warning when a session was seen just now, because it may still run in another terminal. */
function lastSeen(state: HookState, { ports }: HookCall): readonly string[] {
  const restedMs = ports.now().getTime() - lastAt(state);
  return restedMs < JUST_NOW_MS ? ["The session was last active less than two minutes ago, and may still run elsewhere."] : [];
}

function pointerTo(state: HookState, call: HookCall): string {
  const { sessionId, notes } = state;
  const goal = isSameProject(state, call) ? goalOf(contextOfNotes(notes)) : undefined;
  const about = goal === undefined ? "" : ` (${JSON.stringify(goal)})`;
  return `Workrail: the previous session is saved as ${sessionId}${about}. To continue it, call workflow_resume with this sessionId.`;
}

async function driftOfOwn(call: HookCall, sessionId: string): Promise<readonly string[]> {
  const state = readState(stateFileOf(call, sessionId));
  return state === undefined ? [] : driftOf(state, call);
}

/** A sentence about changes in the repository; empty without changes. */
async function driftOf(state: HookState, { place, ports }: HookCall): Promise<readonly string[]> {
  const { git, project, notes, saved } = state;
  if (git === undefined || ports.msLeft() < LEAST_MS_FOR_GIT) return [];
  const paths = namedPaths(notes.files.filter(({ isSeen }) => isSeen !== true).map(({ path }) => path));
  const drift = await findDrift({ git, project, paths, savedAt: new Date(saved?.at ?? lastAt(state)) }, place.git);
  if (drift.relation === "unknown") return [];
  if (drift.relation === "same" && drift.files?.changed === undefined && drift.files?.deleted === undefined) return [];
  return [`Since then: ${drift.says}`];
}

const LEAST_MS_FOR_GIT = 250;

function failureRemarks({ places }: HookCall): readonly string[] {
  const failures = readFailures(places);
  const last = failures.at(-1);
  if (last === undefined) return [];
  const count = failures.length === 1 ? "an automatic save" : `${failures.length} automatic saves`;
  return [`Workrail: ${count} failed, the last one at ${last.at}: ${last.error}. Tell the user; \`workrail doctor\` shows details.`];
}
