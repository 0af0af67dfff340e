import { appendFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { execFileSync } from "node:child_process";
import { tmpdir } from "node:os";
import path from "node:path";
import * as fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { TranscriptHost, TranscriptPart } from "./host-transcript.ts";
import { readTranscript, type ReadTranscriptOptions } from "./read-transcript.ts";

const FIXTURES = path.join(import.meta.dirname, "../test/fixtures");
const RECORDED: readonly (readonly [TranscriptHost, string])[] = [
  ["claude-code", "claude-code-2.1.330/tools-and-compaction.jsonl"],
  ["claude-code", "claude-code-2.1.330/rewind.jsonl"],
  ["claude-code", "claude-code-2.1.330/interrupted-and-queued.jsonl"],
  ["claude-code", "claude-code-2.1.330/agent-a027447141a3ab0cb.jsonl"],
  ["codex", "codex-0.169.0/rollout-0.jsonl"],
  ["gemini", "gemini-0.61.0/session-0.jsonl"],
];

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), "workrail-transcripts-"));
});

afterEach(() => {
  rmSync(folder, { recursive: true });
});

describe("readTranscript", () => {
  it("returns nothing for a missing file", async () => {
    expect(await readTranscript("codex", path.join(folder, "none"))).toBeUndefined();
    expect(await readTranscript("codex", path.join(aFile("x"), "none"))).toBeUndefined();
  });

  it("refuses a directory, and opencode", async () => {
    mkdirSync(path.join(folder, "directory"));
    await expect(readTranscript("codex", path.join(folder, "directory"))).rejects.toMatchObject({ code: "INVALID_INPUT" });
    await expect(readTranscript("opencode", aFile(""))).rejects.toMatchObject({ code: "INVALID_INPUT" });
  });

  it.skipIf(process.platform === "win32")("refuses a pipe and does not wait for its writer", async () => {
    const pipe = path.join(folder, "pipe");
    execFileSync("mkfifo", [pipe]);
    await expect(readTranscript("claude-code", pipe)).rejects.toMatchObject({ code: "INVALID_INPUT" });
  });

  it.skipIf(process.platform !== "linux")("reports an unreadable file", async () => {
    await expect(readTranscript("codex", "/proc/self/mem")).rejects.toMatchObject({
      code: "STORAGE_UNAVAILABLE",
      details: { reason: "EIO" },
    });
  });

  it("leaves an unfinished last line to the next call", async () => {
    const file = aFile(`${prompt("a", null)}\n${prompt("b", "a").slice(0, 40)}`);
    const first = await read("claude-code", file);
    appendFileSync(file, `${prompt("b", "a").slice(40)}\n`);
    const second = await read("claude-code", file, { from: first.position });
    expect([texts(first), texts(second), second.restarted]).toEqual([["a"], ["b"], false]);
  });

  it("starts over when the file is shorter or its head changed", async () => {
    const file = aFile(`${prompt("a", null)}\n${prompt("b", "a")}\n`);
    const { position } = await read("claude-code", file);
    truncateSync(file, prompt("a", null).length + 1);
    const shorter = await read("claude-code", file, { from: position });
    writeFileSync(file, `${prompt("c", null)}\n${prompt("d", "c")}\n${prompt("e", "d")}\n`);
    const other = await read("claude-code", file, { from: position });
    expect([shorter.restarted, texts(shorter)]).toEqual([true, ["a"]]);
    expect([other.restarted, texts(other)]).toEqual([true, ["c", "d", "e"]]);
  });

  it("reads nothing of an unchanged file", async () => {
    const file = path.join(FIXTURES, "claude-code-2.1.330/tools-and-compaction.jsonl");
    const { position } = await read("claude-code", file);
    expect(await read("claude-code", file, { from: position })).toMatchObject({ events: [], restarted: false, position });
  });

  it("accepts a byte order mark, carriage returns, garbage and lone surrogates", async () => {
    const lines = ["\uFEFF" + prompt("a", null), "not JSON", '{"type":"user"', "[]", "null", "", prompt("b \\ud800", "a", "b")];
    expect(texts(await read("claude-code", aFile(`${lines.join("\r\n")}\r\n`)))).toEqual(["a", "b \ud800"]);
  });

  it("skips a line over 8 MB", async () => {
    const file = aFile(`${prompt("a", null)}\n${prompt("x".repeat(9_000_000), "a", "x")}\n${prompt("b", "a")}\n`);
    expect(texts(await read("claude-code", file))).toEqual(["a", "b"]);
  });

  it("reads in slices of about the given size, until the end", async () => {
    const line = (id: number) => prompt(`${id} ${"y".repeat(1000)}`, id === 0 ? null : `${id - 1}`, `${id}`);
    const file = aFile(Array.from({ length: 5000 }, (_, id) => `${line(id)}\n`).join(""));
    const parts: TranscriptPart[] = [];
    do parts.push(await read("claude-code", file, { from: parts.at(-1)?.position, maxBytes: 1 }));
    while (parts.at(-1)?.isPartial === true);
    expect(parts.length).toBeGreaterThan(4);
    expect(parts.flatMap(texts).map((text) => Number.parseInt(text, 10))).toEqual(Array.from({ length: 5000 }, (_, id) => id));
  });

  it("starts over after a rewind, and gets past it although the time is up", async () => {
    const noise = `{"type":"noise","of":"${"z".repeat(1000)}"}\n`.repeat(1500);
    const before = `${prompt("a", null)}\n${noise}${prompt("b", "a")}\n`;
    const file = aFile(before);
    const { position } = await read("claude-code", file);
    writeFileSync(file, `${before}${prompt("c", "a")}\n${noise.repeat(3)}${prompt("d", "c")}\n`);
    const second = await read("claude-code", file, { from: position, deadlineMs: 0 });
    expect([second.restarted, texts(second), second.isPartial]).toEqual([true, ["a", "c"], true]);
    const third = await read("claude-code", file, { from: second.position });
    expect([third.restarted, texts(third)]).toEqual([false, ["d"]]);
  });

  it("advances by a chunk in each call although the time is up", async () => {
    const file = aFile(`${prompt("a", null)}\n${`{"type":"noise","of":"${"z".repeat(1000)}"}\n`.repeat(3000)}`);
    const part = await read("claude-code", file, { deadlineMs: 0 });
    expect([texts(part), part.isPartial]).toEqual([["a"], true]);
    expect(part.position.offset).toBeGreaterThan(1_000_000);
  });

  it.each(RECORDED)("keeps a position of %s (%s) within 500 bytes", async (host, name) => {
    const { position } = await read(host, path.join(FIXTURES, name));
    expect(Buffer.byteLength(JSON.stringify(position))).toBeLessThanOrEqual(500);
  });

  it.each(RECORDED)("reads a transcript of %s (%s) in two steps as it does in one", async (host, name) => {
    const bytes = readFileSync(path.join(FIXTURES, name));
    const whole = await read(host, path.join(FIXTURES, name));
    const file = path.join(folder, path.basename(name));
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 0, max: bytes.length }), async (at) => {
        writeFileSync(file, bytes.subarray(0, at));
        const first = await read(host, file);
        writeFileSync(file, bytes);
        const second = await read(host, file, { from: first.position });
        expect(second.restarted ? second.events : [...first.events, ...second.events]).toEqual(whole.events);
        expect(second.position).toEqual(whole.position);
      }),
      { numRuns: 60 },
    );
  });
});

async function read(host: TranscriptHost, file: string, options?: ReadTranscriptOptions): Promise<TranscriptPart> {
  const part = await readTranscript(host, file, options);
  if (part === undefined) throw new Error(`${file} is not there`);
  return part;
}

function aFile(text: string): string {
  const file = path.join(folder, "transcript.jsonl");
  writeFileSync(file, text);
  return file;
}

/** A line of a Claude Code transcript. @param text as it is in JSON. */
function prompt(text: string, parent: string | null, id: string = text): string {
  return `{"parentUuid":${JSON.stringify(parent)},"isSidechain":false,"type":"user","message":{"role":"user","content":"${text}"},"uuid":"${id}"}`;
}

function texts({ events }: TranscriptPart): readonly string[] {
  return events.map((event) => ("text" in event ? event.text : event.kind));
}
