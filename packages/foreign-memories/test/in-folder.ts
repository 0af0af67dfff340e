import { mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { fileURLToPath } from "node:url";
import { gunzipSync } from "node:zlib";
import type { Context, ForeignSession } from "@workrail/core";
import { type ForeignMemory, type ForeignPart, readForeignMemory } from "../src/index.ts";

/** A folder for one test. */
export function makeFolder(): { readonly folder: string; readonly remove: () => void } {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "foreign-memories-")));
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true, maxRetries: 3 }) };
}

/** Reads a file that the program itself wrote. The name tells the program's version. */
export function fixture(name: string): Buffer {
  const bytes = readFileSync(fileURLToPath(new URL(`fixtures/${name}`, import.meta.url)));
  return name.endsWith(".gz") ? gunzipSync(bytes) : bytes;
}

/** The database of mcp-memory-keeper as the program left it. */
export function writeKeeperFile(folder: string): string {
  const file = join(folder, "context.db");
  writeFileSync(file, fixture("mcp-memory-keeper-0.14.1.db.gz"));
  return file;
}

export interface Found {
  readonly sessions: readonly ForeignSession[];
  /** `place: reason`. */
  readonly skipped: readonly string[];
}

/** Everything that a source reads at a place. */
export async function readAll(source: ForeignMemory, path: string): Promise<Found> {
  const parts: ForeignPart[] = [];
  for await (const part of readForeignMemory(source, { path, openDatabase: (file) => new DatabaseSync(file) })) parts.push(part);
  return {
    sessions: parts.flatMap((part) => (part.kind === "session" ? part.session : [])),
    skipped: parts.flatMap((part) => (part.kind === "skipped" ? `${part.place}: ${part.reason}` : [])),
  };
}

/** The context of a session's latest checkpoint. */
export function latestContext(session: ForeignSession | undefined): Context | undefined {
  return [...(session?.checkpoints ?? [])].at(-1)?.context;
}
