import type { Context, JsonObject, JsonValue } from "@workrail/core";
import { Random } from "./random.ts";

const WORDS =
  "the of and to in is for on that with file test error value return function context agent plan step read write build server request answer token session checkpoint data index cache lock queue retry schema table row query page user path name type list object string number result option config module import export class method promise await catch throw log debug warn info note decision reason because should must never always first last next previous größer naïve 保存 🚀".split(
    " ",
  );

/** Largest part of a context, as in the contexts of agents. */
const LARGEST_PART = 6_000;

/**
 * Generates a context like that of an agent working on code: a goal, a plan, files with their contents, tool calls with their output,
 * decisions. Keys are not in canonical order. Deterministic for size and seed.
 *
 * @param bytes exact size of its JSON in UTF-8, at least 600.
 */
export function generateContext(bytes: number, seed: number): Context {
  const random = new Random(seed);
  const parts: Record<string, JsonValue[]> = { toolCalls: [], files: [], decisions: [] };
  const context = {
    task: { title: sentence(random, 6), goal: sentence(random, 12), acceptance: [sentence(random, 8)], priority: 2 },
    status: "in_progress",
    step: 0,
    plan: [1, 2, 3].map((number) => ({ number, what: sentence(random, 5), done: number === 1 })),
    ...parts,
    environment: { os: "linux", node: "24.21.0", cwd: "/home/dev/project", branch: "main", dirty: false, load: 0.25 },
    notes: "",
  };
  let room = bytes - sizeOf(context);
  while (room > LARGEST_PART + 500) {
    const [list, part] = makePart(random);
    parts[list]?.push(part);
    // The comma between two parts.
    room -= sizeOf(part) + (parts[list]?.length === 1 ? 0 : 1);
  }
  context.notes = exactly(random, room);
  return context;
}

/** Returns the context some work later, so that every save of a series differs from the one before. */
export function atStep(context: Context, step: number): Context {
  return { ...context, step };
}

function makePart(random: Random): readonly [list: "toolCalls" | "files" | "decisions", part: JsonObject] {
  const at = `2026-03-${String(random.whole(10, 28))}T${String(random.whole(10, 23))}:15:00.000Z`;
  const kind = random.next();
  if (kind < 0.5) {
    const lines = Array.from({ length: random.whole(3, 30) }, () => sentence(random, random.whole(3, 12)));
    const input = { path: filePath(random), timeoutMs: random.whole(1, 60) * 1_000, recursive: random.next() < 0.5 };
    return ["toolCalls", { tool: random.pick(["read", "bash", "search", "edit"]), input, output: lines.join("\n"), exitCode: 0, at }];
  }
  if (kind < 0.8) {
    const content = Array.from({ length: random.whole(5, 60) }, () => `  const ${random.pick(WORDS)} = ${sentence(random, 6)};`).join("\n");
    return ["files", { path: filePath(random), mode: 420, content, lines: content.split("\n").length, hash: hex(random), readAt: at }];
  }
  return [
    "decisions",
    { what: sentence(random, 9), why: sentence(random, 20), rejected: [sentence(random, 7), null], confidence: 0.75, at },
  ];
}

function sentence(random: Random, words: number): string {
  return Array.from({ length: words }, () => word(random)).join(" ");
}

/** Returns a word; as in any text, a few words are most frequent. */
function word(random: Random): string {
  return WORDS[Math.floor(random.next() ** 2 * WORDS.length)] as string;
}

function filePath(random: Random): string {
  return `src/${random.pick(WORDS.slice(14, 60))}/${random.pick(WORDS.slice(14, 60))}-${random.whole(1, 99)}.ts`;
}

function hex(random: Random): string {
  return Array.from({ length: 8 }, () => Math.floor(random.next() * 2 ** 32).toString(16)).join("");
}

/** Returns a text of an exact number of bytes. */
function exactly(random: Random, bytes: number): string {
  let text = "";
  for (let next = word(random); text.length + next.length < bytes; next = word(random)) {
    if (/^[\x20-\x7e]*$/.test(next)) text += `${next} `;
  }
  return text.padEnd(bytes, ".");
}

function sizeOf(value: JsonValue): number {
  return Buffer.byteLength(JSON.stringify(value));
}
