import { createHash } from "node:crypto";
import { type FileSystem, hasCode, removeIfPresent, writeAll } from "@workrail/blob-files";
import type { AuditPlace } from "@workrail/core";
import type { SqliteConnection } from "./sqlite-connection.ts";

/** Behind the name of the database that it is of. */
const MARK = "-mark";

/** Which commit was the last, as the audit log tells it. */
interface LastCommit {
  /** Tells the log from that of another database. */
  readonly log: number;
  /** The last row of it. */
  readonly auditId: number;
  /** Of that row; absent for one that is not chained. */
  readonly digest: string | undefined;
}

/** As it stands in the file. Whether it is whole is looked at when it says something: mostly it does not, and a digest takes long to load. */
interface Noted extends LastCommit {
  readonly text: string;
  readonly check: string;
}

const LAST_COMMIT = `SELECT (SELECT value FROM state WHERE key = 'audit_log') AS log, id AS auditId, lower(nullif(hex(digest), '')) AS digest
  FROM audit ORDER BY id DESC LIMIT 1`;
const TEXT = /^((\d+) (\d+)(?: ([0-9a-f]{32}))?) ([0-9a-f]{16})\n$/;
/** Of one length, so that it can be written over: nothing of a longer one may stay. */
const DIGITS = 16;
const NO_DIGEST = "0".repeat(32);

/**
 * The last commit, noted outside of the database. SQLite takes a write-ahead log that lost its end to damage for one that
 * never had it, and goes on from an older state without a word; and somebody may put an older copy in the database's place.
 * Either is then behind its mark.
 *
 * It is written after each COMMIT and not synced, for it must only survive the process. One that is missing, damaged, or
 * behind itself says nothing, and a failure to write it is none of the commit's.
 */
export class CommitMark {
  readonly #file: string;
  readonly #fs: FileSystem;
  #noted = 0;

  constructor(database: string, fs: FileSystem) {
    this.#file = database + MARK;
    this.#fs = fs;
  }

  /** Notes what is committed by now. */
  note(connection: SqliteConnection): void {
    try {
      const last = lastCommit(connection);
      if (last === undefined || last.auditId === this.#noted) return;
      this.#write(textOf(last));
      this.#noted = last.auditId;
    } catch {
      // Without it a later loss may go unnoticed. The commit is as durable as ever.
    }
  }

  /** What was noted. To be asked for before the database is asked what it holds. */
  async read(): Promise<Noted | undefined> {
    const bytes = this.#fs.inspect(this.#file)?.kind === "file" ? await this.#fs.read(this.#file) : undefined;
    return bytes === undefined ? undefined : parse(Buffer.from(bytes).toString("latin1"));
  }

  /** The database is replaced by one that holds all there is. */
  remove(): void {
    removeIfPresent(this.#fs, this.#file);
    this.#noted = 0;
  }

  #write(text: string): void {
    const fd = this.#open();
    try {
      writeAll(this.#fs, fd, Buffer.from(text));
    } finally {
      this.#fs.close(fd);
    }
  }

  #open(): number {
    try {
      return this.#fs.overwrite(this.#file);
    } catch (error) {
      if (!hasCode(error, "ENOENT")) throw error;
      return this.#fs.create(this.#file);
    }
  }
}

/** Whether a database misses commits that were noted. */
export function isBehind(connection: SqliteConnection, noted: Noted): boolean {
  const last = lastCommit(connection);
  return last?.log === noted.log && last.auditId < noted.auditId && isWhole(noted);
}

/** The row that was noted, if it is one of this log and chained. */
export function placeNoted(connection: SqliteConnection, noted: Noted): AuditPlace | undefined {
  const { log, auditId, digest } = noted;
  return digest === undefined || lastCommit(connection)?.log !== log || !isWhole(noted) ? undefined : { number: auditId, digest };
}

function lastCommit(connection: SqliteConnection): LastCommit | undefined {
  const row = connection.statement(LAST_COMMIT).get() as (Omit<LastCommit, "digest"> & { readonly digest: string | null }) | undefined;
  return row === undefined ? undefined : { ...row, digest: row.digest ?? undefined };
}

function textOf({ log, auditId, digest = NO_DIGEST }: LastCommit): string {
  const numbers = [log, auditId].map((number) => String(number).padStart(DIGITS, "0"));
  const text = [...numbers, digest].join(" ");
  return `${text} ${checkOf(text)}\n`;
}

/** Earlier versions noted no digest. */
function parse(file: string): Noted | undefined {
  const [, text = "", log, auditId, digest, check = ""] = TEXT.exec(file) ?? [];
  if (text === "") return undefined;
  return { log: Number(log), auditId: Number(auditId), digest: digest === NO_DIGEST ? undefined : digest, text, check };
}

function isWhole({ text, check }: Noted): boolean {
  return check === checkOf(text);
}

function checkOf(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 16);
}
