import { createHash } from "node:crypto";
import { type FileSystem, hasCode, removeIfPresent, writeAll } from "@workrail/blob-files";
import type { SqliteConnection } from "./sqlite-connection.ts";

/** Behind the name of the database that it is of. */
const MARK = "-mark";

/** Which commit was the last, as far as the audit log, of which nothing is ever removed, can tell. */
interface LastCommit {
  /** When the log began: another database's began at another time. */
  readonly beganAt: number;
  readonly auditId: number;
}

const LAST_COMMIT = "SELECT (SELECT at FROM audit ORDER BY id LIMIT 1) AS beganAt, max(id) AS auditId FROM audit";
const TEXT = /^(\d+) (\d+) ([0-9a-f]{16})\n$/;
/** Of one length, so that it can be written over: nothing of a longer one may stay. */
const DIGITS = 16;

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
  async read(): Promise<LastCommit | undefined> {
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
export function isBehind(connection: SqliteConnection, noted: LastCommit): boolean {
  const last = lastCommit(connection);
  return last?.beganAt === noted.beganAt && last.auditId < noted.auditId;
}

function lastCommit(connection: SqliteConnection): LastCommit | undefined {
  const { beganAt, auditId } = connection.statement(LAST_COMMIT).get() as { beganAt: number | null; auditId: number | null };
  return beganAt === null || auditId === null ? undefined : { beganAt, auditId };
}

function textOf({ beganAt, auditId }: LastCommit): string {
  const text = [beganAt, auditId].map((number) => String(number).padStart(DIGITS, "0")).join(" ");
  return `${text} ${checkOf(text)}\n`;
}

function parse(text: string): LastCommit | undefined {
  const [, beganAt = "", auditId = "", check] = TEXT.exec(text) ?? [];
  return check === checkOf(`${beganAt} ${auditId}`) ? { beganAt: Number(beganAt), auditId: Number(auditId) } : undefined;
}

function checkOf(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 16);
}
