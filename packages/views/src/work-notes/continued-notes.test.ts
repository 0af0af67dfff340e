import type { TranscriptEvent } from "@workrail/core";
import { describe, expect, it } from "vitest";
import { contextOfNotes } from "./context-of-notes.ts";
import { continuedNotes } from "./continued-notes.ts";
import { noteEvents } from "./note-events.ts";
import { NO_NOTES, type WorkNotes } from "./work-notes.ts";

const FIRST = "Make the login redirect work. Never touch src/legacy.";
const EARLIER = noteEvents(NO_NOTES, [
  { kind: "prompt", text: FIRST, at: "2026-01-01T00:00:00Z" },
  { kind: "call", id: "1", tool: "Edit", input: { file_path: "src/login.ts" } },
]);

/** Notes of a session that continues the earlier one and begins with a prompt. */
function begunWith(prompt: string, earlier: WorkNotes | undefined = EARLIER): WorkNotes {
  const events: TranscriptEvent[] = [{ kind: "prompt", text: prompt, at: "2026-01-02T00:00:00Z" }];
  return noteEvents(
    continuedNotes(NO_NOTES, events, () => earlier),
    events,
  );
}

describe("continuedNotes", () => {
  it.each([
    "Continue.",
    "continue with the tests",
    "Please go on!",
    "OK, carry on where you left off",
    "Hi! Where were we?",
    "what's next?",
    "Resume the work from yesterday",
    "proceed",
    "Pick up where we left off.",
    "Mach bitte weiter",
    "Wo waren wir?",
    "Où en étions-nous ?",
    "Continúa, por favor",
    "¿Por dónde íbamos?",
    "请继续",
    "続けてください",
  ])("begins with the earlier notes after %j", (prompt) => {
    const notes = begunWith(prompt);
    expect(contextOfNotes(notes)).toMatchObject({
      goal: FIRST,
      prohibitions: ["Never touch src/legacy."],
      filesChanged: ["src/login.ts"],
      laterRequests: [prompt],
    });
    expect(notes).toMatchObject({ counts: { prompts: 1, calls: 0 }, startedAt: "2026-01-02T00:00:00Z", open: [] });
  });

  it.each([
    "Add a dark mode.",
    "Resume parsing fails in cv.ts",
    "Proceed button is grey",
    "Weiterleitungen sind kaputt",
    "The next step fails",
    `Continue, but this is another task. ${"It has a long text. ".repeat(20)}`,
  ])("begins anew with %j", (prompt) => {
    expect(contextOfNotes(begunWith(prompt))).toMatchObject({ goal: prompt.trim().slice(0, 1_000) });
  });

  it("starts empty when there is no earlier session, or it had no prompt", () => {
    expect(contextOfNotes(begunWith("Go on.", NO_NOTES))).toMatchObject({ goal: "Go on." });
    const events: TranscriptEvent[] = [{ kind: "prompt", text: "Go on." }];
    expect(continuedNotes(NO_NOTES, events, () => undefined)).toBe(NO_NOTES);
  });

  it("does not look at later prompts", () => {
    const own = noteEvents(NO_NOTES, [{ kind: "prompt", text: "Add a dark mode." }]);
    expect(continuedNotes(own, [{ kind: "prompt", text: "Go on." }], () => EARLIER)).toBe(own);
  });
});
