import type { ForeignSession } from "@workrail/core";

/** Memory servers whose data can be imported. */
export const FOREIGN_MEMORIES = ["mcp-memory-keeper", "server-memory", "basic-memory"] as const;
/** The name of a memory server on the command line. */
export type ForeignMemory = (typeof FOREIGN_MEMORIES)[number];

/** One item in another program's data. */
export type ForeignPart = ForeignPartSession | ForeignPartSkipped;

/** A session that can be imported. */
export interface ForeignPartSession {
  readonly kind: "session";
  readonly session: ForeignSession;
  /** Sessions or folders read so far, this one included, out of `total`. */
  readonly done: number;
  readonly total: number;
}

/** An item that cannot be imported. */
export interface ForeignPartSkipped {
  readonly kind: "skipped";
  /** Names a file and line, a row or a folder. Never holds a value of the data. */
  readonly place: string;
  /** The reason, for people: a sentence without a full stop. */
  readonly reason: string;
}

/** The operations on a database that a reader needs. */
export interface ForeignDatabase {
  exec(sql: string): unknown;
  prepare(sql: string): { all(...parameters: readonly string[]): readonly unknown[] };
  close(): unknown;
}

/** Opens a copy of a database, which no other program uses. */
export type OpenForeignDatabase = (file: string, busyMs: number) => ForeignDatabase;
