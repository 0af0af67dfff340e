import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import type { JsonValue, TranscriptEvent } from "@workrail/core";
import { namedPaths } from "@workrail/views";
import { NO_NOTES, noteEvents } from "@workrail/views/work-notes";
import { readOpencodeMessages, readTranscript } from "@workrail/host-transcripts";
import { writePack } from "@workrail/runtime/hooks";
import { countTokens } from "gpt-tokenizer";
import { recordedText, type Recording } from "./recordings.ts";
import { SCENARIOS } from "./scenarios/all-scenarios.ts";

export interface MeasuredPack {
  readonly pack: string;
  readonly tokens: number;
  /** Questions without an answer in the pack. */
  readonly unanswered: readonly string[];
  readonly questions: number;
  /** Paths and commands of the later turns that already occurred before the pack. */
  readonly paths: Reused;
  readonly commands: Reused;
}

export interface Reused {
  readonly all: readonly string[];
  readonly missing: readonly string[];
}

/** Writes the pack of a recorded session, and checks which questions of its scenario the pack answers. */
export async function measurePack(recording: Recording, budgetTokens = 1_500): Promise<MeasuredPack> {
  const before = await eventsOf(recording, "before");
  const after = await eventsOf(recording, "after");
  const notes = noteEvents(NO_NOTES, before);
  const sessionId = `${recording.host}-7b1d1f6c-34b8-450e-82e8-700ac148aa5f`;
  const pack = await writePack({ notes, sessionId, savedAt: "2026-11-24T12:00:00.000Z", budgetTokens, remarks: [] });
  const questions = SCENARIOS.find(({ name }) => name === recording.scenario)?.questions ?? [];
  const isAnswered = (expect: RegExp | string): boolean => (typeof expect === "string" ? pack.includes(expect) : expect.test(pack));
  const said = JSON.stringify(before);
  const ran = new Set(before.flatMap(commandsOf));
  const paths = unique(after.flatMap(pathsOf).filter((each) => said.includes(each)));
  const commands = unique(after.flatMap(commandsOf).filter((each) => ran.has(each)));
  return {
    pack,
    tokens: countTokens(pack),
    questions: questions.length,
    unanswered: questions.flatMap(({ ask, expect }) => (isAnswered(expect) ? [] : [ask])),
    paths: reused(paths, pack),
    commands: reused(commands, pack),
  };
}

function reused(all: readonly string[], pack: string): Reused {
  return { all, missing: all.filter((each) => !pack.includes(each)) };
}

function unique(texts: readonly string[]): readonly string[] {
  return [...new Set(texts)];
}

function commandsOf(event: TranscriptEvent): readonly string[] {
  if (event.kind !== "call") return [];
  const { command, cmd } = event.input as Readonly<Record<string, JsonValue | undefined>>;
  const given = command ?? cmd;
  return typeof given === "string" && !given.includes("*** Begin Patch") ? [given.split("\n")[0] ?? ""] : [];
}

/** Paths in a call, relative to the repository. */
function pathsOf(event: TranscriptEvent): readonly string[] {
  if (event.kind !== "call") return [];
  return namedPaths(event.input)
    .map((each) => each.replace(/^\/home\/user\/[^/]+\//u, ""))
    .filter((each) => /[\w]\.[a-z]\w{0,4}$/u.test(each) && !each.includes(" "));
}

async function eventsOf(recording: Recording, part: "before" | "after"): Promise<readonly TranscriptEvent[]> {
  const text = await recordedText(recording[part]);
  if (recording.host === "opencode") return readOpencodeMessages((JSON.parse(text) as { readonly messages: readonly unknown[] }).messages);
  const folder = mkdtempSync(path.join(tmpdir(), "workrail-pack-"));
  try {
    const file = path.join(folder, "transcript.jsonl");
    writeFileSync(file, text);
    const part = await readTranscript(recording.host, file);
    return part?.events ?? [];
  } finally {
    rmSync(folder, { recursive: true });
  }
}
