import { hash } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";
import Database from "better-sqlite3";
import { canonicalJson, type Context } from "@workrail/core";

/**
 * The floor: the minimal cost of storing a checkpoint durably and reading it back with verification. No checks, envelope, sessions, order
 * or retries, and no yielding to other work.
 */
export class BareStore {
  readonly #directory: string;
  readonly #database: Database.Database;
  readonly #insert: Database.Statement;
  #saved = 0;

  /** @param directory is created; several processes may share it. */
  constructor(directory: string) {
    fs.mkdirSync(directory, { recursive: true });
    this.#directory = path.join(directory, String(process.pid));
    fs.mkdirSync(this.#directory, { recursive: true });
    this.#database = new Database(path.join(directory, "bare.db"), { timeout: 60_000 });
    this.#database.pragma("journal_mode = WAL");
    this.#database.pragma("synchronous = FULL");
    this.#database.exec(
      "CREATE TABLE IF NOT EXISTS saved (file TEXT PRIMARY KEY, at INTEGER, exact TEXT, canonical TEXT, bytes INTEGER) STRICT",
    );
    this.#insert = this.#database.prepare("INSERT INTO saved (file, at, exact, canonical, bytes) VALUES (?, ?, ?, ?, ?)");
  }

  /** Saves: stringify, both digests, gzip; write, fsync, rename, fsync of the directory; one row in one durable commit. */
  save(context: Context): string {
    const bytes = Buffer.from(JSON.stringify(context));
    const exact = hash("sha256", bytes, "hex");
    const canonical = hash("sha256", canonicalJson(context), "hex");
    const packed = gzipSync(bytes, { level: 6 });
    const file = path.join(this.#directory, `${++this.#saved}.json.gz`);
    const temporary = `${file}.tmp`;
    const fd = fs.openSync(temporary, fs.constants.O_WRONLY | fs.constants.O_CREAT | fs.constants.O_EXCL, 0o600);
    fs.writeSync(fd, packed);
    fs.fsyncSync(fd);
    fs.closeSync(fd);
    fs.renameSync(temporary, file);
    // Windows cannot open a directory, and makes renames durable by itself.
    if (process.platform !== "win32") syncDirectory(this.#directory);
    this.#insert.run(file, Date.now(), exact, canonical, bytes.length);
    return file;
  }

  close(): void {
    this.#database.close();
  }
}

/** Reads, decompresses, hashes and parses a blob of any writer. */
export function bareLoad(file: string): unknown {
  const bytes = gunzipSync(fs.readFileSync(file));
  hash("sha256", bytes, "hex");
  return JSON.parse(bytes.toString());
}

/** The two prepared statements of a page on the library's own database: the first rows, and the total. */
export class BareListing {
  readonly #database: Database.Database;
  readonly #page: Database.Statement;
  readonly #count: Database.Statement;

  /** @param by column that selects the checkpoints. */
  constructor(dataDir: string, by: "session_id" | "project", limit: number) {
    const order = by === "session_id" ? "sequence" : "ordinal";
    // The `+` makes SQLite keep the plan; otherwise it prepares an ordered statement again at each run.
    const where = `FROM checkpoint WHERE ${by} = +? AND kind <> 'aside'`;
    this.#database = new Database(path.join(dataDir, "workrail.db"), { readonly: true });
    this.#page = this.#database.prepare(`SELECT * ${where} ORDER BY ${order} DESC LIMIT ${limit + 1}`);
    this.#count = this.#database.prepare(`SELECT count(*) AS total ${where}`);
  }

  list(value: string): unknown {
    return { rows: this.#page.all(value), count: this.#count.get(value) };
  }

  close(): void {
    this.#database.close();
  }
}

function syncDirectory(directory: string): void {
  const fd = fs.openSync(directory, fs.constants.O_RDONLY);
  fs.fsyncSync(fd);
  fs.closeSync(fd);
}
