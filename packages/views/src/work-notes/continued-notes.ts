import type { TranscriptEvent } from "@workrail/core";
import { asksToContinue } from "../handoff/cues.ts";
import { NO_NOTES, type WorkNotes } from "./work-notes.ts";

/**
 * The notes with which a session begins. A session whose first prompt only asks to continue ("Go on.") begins with the
 * notes of the earlier session: its goal and its prohibitions still hold, and no later prompt repeats them.
 *
 * @param before notes of the session itself.
 * @param earlier reads the notes of the session that this one continues; `undefined` when there is none.
 */
export function continuedNotes(before: WorkNotes, events: readonly TranscriptEvent[], earlier: () => WorkNotes | undefined): WorkNotes {
  const first = before.counts.prompts === 0 ? events.find(({ kind }) => kind === "prompt") : undefined;
  if (first?.kind !== "prompt" || !asksToContinue(first.text)) return before;
  const notes = earlier();
  if (notes === undefined || notes.prompts.length === 0) return before;
  const { startedAt: _startedAt, lastAt: _lastAt, ...kept } = notes;
  return { ...kept, open: [], counts: NO_NOTES.counts, last: "nothing" };
}
