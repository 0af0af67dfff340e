import { createHash } from "node:crypto";
import { parseJson, WorkrailError } from "@workrail/core";
import { entriesFromJson } from "./entries-from-json.ts";
import type { JournalEntries } from "./journal-entries.ts";

/** Content of a line: the changed entries after the change of this number. */
export interface JournalLine {
  /** One more than in the line before. */
  readonly revision: number;
  readonly entries: JournalEntries;
}

const FORMAT = 1;
const LINE = /^\{"check":"([0-9a-f]{16})","change":(\{.*\})\}$/su;

/** Encodes a line of JSON with its line feed. */
export function encodeLine({ revision, entries }: JournalLine): Uint8Array {
  const told = Object.entries(entries).filter(([, value]) => !isEmpty(value));
  const change = JSON.stringify({ format: FORMAT, revision, ...Object.fromEntries(told) });
  return Buffer.from(`{"check":"${checkOf(change)}","change":${change}}\n`);
}

/**
 * Decodes a line. Returns `undefined` for an incomplete or damaged text.
 *
 * @throws UNSUPPORTED_VERSION when a newer version wrote it.
 */
export function decodeLine(text: string): JournalLine | undefined {
  const [, check, change] = LINE.exec(text) ?? [];
  if (change === undefined || checkOf(change) !== check) return undefined;
  // The digest proves that the content is valid.
  const { format, revision, ...told } = parseJson(change) as { readonly format: number; readonly revision: number };
  if (format > FORMAT) throw tooNew(format);
  return { revision, entries: entriesFromJson(told) };
}

function isEmpty(value: unknown): boolean {
  return Array.isArray(value) && value.length === 0;
}

function checkOf(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 16);
}

function tooNew(format: number): WorkrailError {
  return new WorkrailError("UNSUPPORTED_VERSION", `The catalog has format ${format}; this version understands up to ${FORMAT}.`, {
    details: { format, supported: FORMAT },
    hint: "Use the newer version of Workrail that wrote it.",
  });
}
