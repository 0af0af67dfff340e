import type { ForeignSession } from "@workrail/core";

/** Memory servers whose data is read. */
export const FOREIGN_MEMORIES = ["mcp-memory-keeper", "server-memory", "basic-memory"] as const;
export type ForeignMemory = (typeof FOREIGN_MEMORIES)[number];

/** One thing that is found in another program's data. */
export type ForeignPart = ForeignPartSession | ForeignPartSkipped;

export interface ForeignPartSession {
  readonly kind: "session";
  readonly session: ForeignSession;
  /** How many of `total` sessions or folders were read, this one included. */
  readonly done: number;
  readonly total: number;
}

/** Something that cannot be taken, and is therefore named. */
export interface ForeignPartSkipped {
  readonly kind: "skipped";
  /** A file with the line, a row, a folder. Never a value out of it. */
  readonly place: string;
  /** The reason, for people: a sentence without its stop. */
  readonly reason: string;
}

/** The few things that are asked of a database. */
export interface ForeignDatabase {
  exec(sql: string): unknown;
  prepare(sql: string): { all(...parameters: readonly string[]): readonly unknown[] };
  close(): unknown;
}

/** Opens a database file that nobody else uses: a copy. */
export type OpenForeignDatabase = (file: string, busyMs: number) => ForeignDatabase;
