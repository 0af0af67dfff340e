import { hash } from "node:crypto";
import { type FileSystem, hasCode, removeIfPresent, writeAll } from "@workrail/blob-files";
import type { AuditPlace } from "@workrail/core";
import type { SqliteConnection } from "./sqlite-connection.ts";

/** Suffix of the mark's file name, after the name of the database. */
const MARK = "-mark";

/** The last commit, identified by the last row of the audit log. */
interface LastCommit {
  /** Identifies the log: another database has another number. */
  readonly log: number;
  /** Number of the last audit row. */
  readonly auditId: number;
  /** Digest of that row; `undefined` when the row is not chained. */
  readonly digest: string | undefined;
}

/** A mark as read from the file. Its check is computed only when the mark shows a difference, because loading the hash takes long. */
interface Noted extends LastCommit {
  readonly text: string;
  readonly check: string;
}

const LAST_COMMIT = `SELECT (SELECT value FROM state WHERE key = 'audit_log') AS log, id AS auditId, lower(nullif(hex(digest), '')) AS digest
  FROM audit ORDER BY id DESC LIMIT 1`;
const TEXT = /^((\d+) (\d+)(?: ([0-9a-f]{32}))?) ([0-9a-f]{16})\n$/;
/** Digits of a number. Fixed width, so that overwriting leaves no tail of a longer mark. */
const DIGITS = 16;
const NO_DIGEST = "0".repeat(32);

/**
 * Notes the last commit in a file beside the database, to detect lost commits. SQLite does not notice that a write-ahead log
 * lost its end, and continues from an older state without an error. The database may also be replaced by an older copy.
 * In both cases the database is behind its mark.
 *
 * The mark is written after each COMMIT and not synced, because it must survive only the process. A missing, damaged or stale
 * mark is ignored, and a failure to write the mark does not fail the commit.
 */
export class CommitMark {
  readonly #file: string;
  readonly #fs: FileSystem;
  #noted = 0;
  /** Identity of the log of each connection: a database keeps its log. */
  readonly #logs = new WeakMap<SqliteConnection, number>();

  constructor(database: string, fs: FileSystem) {
    this.#file = database + MARK;
    this.#fs = fs;
  }

  /** Writes the mark of the last commit. `logged`: the last row of the audit log, when the caller just added it. */
  note(connection: SqliteConnection, logged?: AuditPlace): void {
    try {
      const log = logged && this.#logs.get(connection);
      const last =
        logged === undefined || log === undefined ? lastCommit(connection) : { log, auditId: logged.number, digest: logged.digest };
      if (last !== undefined) this.#logs.set(connection, last.log);
      if (last === undefined || last.auditId === this.#noted) return;
      this.#write(textOf(last));
      this.#noted = last.auditId;
    } catch {
      // Without the mark, a later loss may go unnoticed. The commit is durable all the same.
    }
  }

  /** Reads the mark. Call it before the database is read: a later mark may name a later commit. */
  async read(): Promise<Noted | undefined> {
    const bytes = this.#fs.inspect(this.#file)?.kind === "file" ? await this.#fs.read(this.#file) : undefined;
    return bytes === undefined ? undefined : parse(Buffer.from(bytes).toString("latin1"));
  }

  /** Removes the mark of a database that a rebuild replaces. */
  remove(): void {
    removeIfPresent(this.#fs, this.#file);
    this.#noted = 0;
  }

  #write(text: string): void {
    let fd: number;
    try {
      fd = this.#fs.overwrite(this.#file);
    } catch (error) {
      if (!hasCode(error, "ENOENT")) throw error;
      fd = this.#fs.create(this.#file);
    }
    try {
      writeAll(this.#fs, fd, Buffer.from(text));
    } finally {
      this.#fs.close(fd);
    }
  }
}

/** True when a database lacks commits that the mark has. */
export function isBehind(connection: SqliteConnection, noted: Noted): boolean {
  const last = lastCommit(connection);
  return last?.log === noted.log && last.auditId < noted.auditId && isWhole(noted);
}

/** Returns the place of the noted row; `undefined` when the row is of another log or is not chained. */
export function placeNoted(connection: SqliteConnection, noted: Noted): AuditPlace | undefined {
  const { log, auditId, digest } = noted;
  return digest === undefined || lastCommit(connection)?.log !== log || !isWhole(noted) ? undefined : { number: auditId, digest };
}

function lastCommit(connection: SqliteConnection): LastCommit | undefined {
  const row = connection.statement(LAST_COMMIT).get() as (Omit<LastCommit, "digest"> & { readonly digest: string | null }) | undefined;
  return row === undefined ? undefined : { ...row, digest: row.digest ?? undefined };
}

function textOf({ log, auditId, digest = NO_DIGEST }: LastCommit): string {
  const text = `${String(log).padStart(DIGITS, "0")} ${String(auditId).padStart(DIGITS, "0")} ${digest}`;
  return `${text} ${checkOf(text)}\n`;
}

/** Parses the text of a mark. Marks of earlier versions have no digest. */
function parse(file: string): Noted | undefined {
  const [, text = "", log, auditId, digest, check = ""] = TEXT.exec(file) ?? [];
  if (text === "") return undefined;
  return { log: Number(log), auditId: Number(auditId), digest: digest === NO_DIGEST ? undefined : digest, text, check };
}

function isWhole({ text, check }: Noted): boolean {
  return check === checkOf(text);
}

function checkOf(text: string): string {
  return hash("sha256", text, "hex").slice(0, 16);
}
