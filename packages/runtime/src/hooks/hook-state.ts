import fs from "node:fs";
import path from "node:path";
import { makeDirectories, nodeFileSystem } from "@workrail/blob-files";
import type { GitState } from "@workrail/core";
import { NO_NOTES, type WorkNotes } from "@workrail/views/work-notes";
import type { HookHost, TranscriptPosition } from "@workrail/host-transcripts";
import { type HookPlaces, stateFile } from "./hook-places.ts";
import { isMissing, namesIn } from "./names-in.ts";

/** All that hooks know of a host's session. */
export interface HookState {
  readonly version: 1;
  readonly host: HookHost;
  /** The host's id of its session; for a sub-agent, followed by the agent's id. */
  readonly hostSession: string;
  /** Session of the store. */
  readonly sessionId: string;
  readonly isSubagent?: boolean | undefined;
  readonly transcript?: string | undefined;
  readonly cwd?: string | undefined;
  readonly project?: string | undefined;
  readonly git?: GitState | undefined;
  /** Position in the transcript. Absent in a sealed store, which keeps no notes: there the transcript is read from its beginning. */
  readonly position?: TranscriptPosition | undefined;
  readonly notes: WorkNotes;
  /** Turns that ended since the last save. */
  readonly turns: number;
  readonly saved?: SavedState | undefined;
  readonly conversation: ConversationState;
  /** An earlier session whose pack was shown at the start of this one. */
  readonly continues?: string | undefined;
  readonly endedAt?: string | undefined;
  /** A long transcript is not read to its end yet. */
  readonly isBehind?: boolean | undefined;
}

export interface SavedState {
  /** Digest of the saved context, so that an unchanged state is not saved again. Absent for a sealed store, which compares contexts itself. */
  readonly digest?: string | undefined;
  /** ISO 8601. */
  readonly at: string;
  readonly checkpointId: string;
}

/** The saved part of the conversation. It is saved at the end of a session, before a compaction, and when a start catches up. */
export interface ConversationState {
  readonly position?: TranscriptPosition | undefined;
  /** A long conversation is kept in several sessions. */
  readonly part: number;
  /** Messages in this part. */
  readonly messages: number;
  /** Characters of them as JSON. */
  readonly size: number;
  /** Number of refusals by the store: the second one is final. */
  readonly refusals?: number | undefined;
}

export const NO_CONVERSATION: ConversationState = { part: 1, messages: 0, size: 0 };

/** Bytes. No hook writes a larger file. */
const MOST_BYTES = 4 * 1024 * 1024;

/** `undefined` when the state is missing or unreadable: then the transcript is read from its beginning. */
export function readState(file: string): HookState | undefined {
  try {
    const stat = fs.lstatSync(file);
    if (!stat.isFile() || stat.size > MOST_BYTES) return undefined;
    const state = JSON.parse(fs.readFileSync(file, "utf8")) as unknown;
    return isState(state) ? state : undefined;
  } catch (error) {
    if (error instanceof SyntaxError || isMissing(error)) return undefined;
    throw error;
  }
}

/** Finds the state of a session in the folders of all repositories, so that its project need not be known. */
export function findState(places: HookPlaces, sessionId: string): HookState | undefined {
  return readState(stateFile(places, places.sessions, sessionId));
}

/** The states of a folder that were written last, the latest first. @param most files to look at. */
export function* latestStates(folder: string, most: number): Generator<HookState, void, undefined> {
  const latest = filesIn(folder)
    .filter(({ file }) => path.extname(file) === ".json")
    .toSorted((left, right) => right.at - left.at);
  for (const { file } of latest.slice(0, most)) {
    const state = readState(file);
    if (state !== undefined) yield state;
  }
}

/** A damaged state would fail every hook of its session. */
function isState(value: unknown): value is HookState {
  if (!isLike(value, { version: 1, host: "", hostSession: "", sessionId: "", turns: 0, notes: NO_NOTES, conversation: NO_CONVERSATION }))
    return false;
  const { version, notes, position, conversation } = value as HookState;
  const positions = [position, conversation.position].filter((each) => each !== undefined);
  return version === 1 && notes.version === 1 && positions.every((each) => isLike(each, { offset: 0, head: "" }));
}

/** True when a value has all members of the model, each of the same type. */
function isLike(value: unknown, model: unknown): boolean {
  if (typeof model !== "object" || model === null || Array.isArray(model)) {
    return typeof value === typeof model && Array.isArray(value) === Array.isArray(model);
  }
  if (typeof value !== "object" || value === null) return false;
  return Object.entries(model).every(([key, member]) => isLike((value as Readonly<Record<string, unknown>>)[key], member));
}

/** The part of a state that may be written: for a sealed store only numbers and times. */
export function kept(state: HookState, isSealed: boolean): HookState {
  if (!isSealed) return state;
  const { version, host, turns, saved, conversation } = state;
  const { position: _read, ...counts } = conversation;
  const known = saved === undefined ? {} : { saved: { at: saved.at, checkpointId: saved.checkpointId } };
  return { version, host, hostSession: "", sessionId: "", notes: NO_NOTES, turns, conversation: counts, ...known };
}

/** Replaces the file, dated by the last event of the session. After a power cut an older state may be there: then more of the transcript is read again. */
export function writeState(file: string, state: HookState): void {
  const folder = path.dirname(file);
  makeDirectories(folder);
  const temporary = `${file}.${process.pid}.tmp`;
  try {
    fs.writeFileSync(temporary, JSON.stringify(state), { mode: 0o600 });
    const at = new Date(state.notes.lastAt ?? state.saved?.at ?? Number.NaN);
    // A time in the future comes from a wrong clock.
    if (at.getTime() < Date.now()) fs.utimesSync(temporary, at, at);
    nodeFileSystem.rename(temporary, file);
  } catch (error) {
    fs.rmSync(temporary, { force: true });
    throw error;
  }
}

/** The entries of a folder with the times of their last change; none for a missing folder. */
export function filesIn(folder: string): { readonly file: string; readonly at: number }[] {
  return namesIn(folder).flatMap((name) => {
    const file = path.join(folder, name);
    const stat = fs.statSync(file, { throwIfNoEntry: false });
    return stat === undefined ? [] : [{ file, at: stat.mtimeMs }];
  });
}
