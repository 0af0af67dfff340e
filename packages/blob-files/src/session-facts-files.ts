import { createHash } from "node:crypto";
import path from "node:path";
import { isJsonObject, type JsonValue, parseCheckpointId, parseSessionId, type SessionFacts, type SessionId } from "@workrail/core";
import { hasCode } from "./error-codes.ts";
import { type FileSystem } from "./file-system.ts";
import { moveAside, removeIfPresent, writeDurably } from "./durable-files.ts";
import { CONTEXTS, SESSION_FACTS, sessionDirectory } from "./paths.ts";
import { fileError } from "./file-errors.ts";

const FORMAT = 1;
/** Suffix of a damaged file that was kept. */
const DAMAGED = ".damaged";
const CHECK_LINE = /^ {2}"check": "([0-9a-f]{16})",\n/mu;

/** Files `metadata.json` in each session's directory, with mutable data of a session that must survive the loss of the database. */
export class SessionFactsFiles {
  readonly #dataDir: string;
  readonly #fs: FileSystem;
  readonly #ensureDirectory: (directory: string) => Promise<void>;
  /** Sessions whose file was readable, or written by us: replacing it loses nothing. */
  readonly #understood = new Set<SessionId>();

  constructor(dataDir: string, fileSystem: FileSystem, ensureDirectory: (directory: string) => Promise<void>) {
    this.#dataDir = dataDir;
    this.#fs = fileSystem;
    this.#ensureDirectory = ensureDirectory;
  }

  /** Replaces the session's file durably, and keeps an unreadable one aside. */
  async write(facts: SessionFacts): Promise<void> {
    const directory = sessionDirectory(this.#dataDir, facts.sessionId);
    await this.#ensureDirectory(directory);
    await this.#keepDamaged(facts.sessionId, directory);
    await writeDurably(this.#fs, path.join(directory, SESSION_FACTS), { bytes: Buffer.from(textOf(facts)), mode: "replace" });
    this.#understood.add(facts.sessionId);
  }

  /** Removes the session's file durably. Its directory stays, because another call may be about to write there. */
  async remove(sessionId: SessionId): Promise<void> {
    const directory = sessionDirectory(this.#dataDir, sessionId);
    removeIfPresent(this.#fs, path.join(directory, SESSION_FACTS));
    if (this.#fs.inspect(directory)?.kind === "directory") await this.#fs.syncDirectory(directory);
    this.#understood.delete(sessionId);
  }

  /** Replaces the session's file if its content differs. */
  async correct(facts: SessionFacts): Promise<void> {
    const file = path.join(sessionDirectory(this.#dataDir, facts.sessionId), SESSION_FACTS);
    const bytes = this.#fs.inspect(file)?.kind === "file" ? await this.#fs.read(file) : undefined;
    if (bytes === undefined || Buffer.from(bytes).toString("utf8") !== textOf(facts)) await this.write(facts);
  }

  /** Yields the facts of every session. Unreadable files are skipped, because the checkpoints matter more. */
  async *readAll(): AsyncIterable<SessionFacts> {
    const contexts = path.join(this.#dataDir, CONTEXTS);
    try {
      for (const name of this.#fs.list(contexts)) {
        const facts = await this.#readUnlessClosed(path.join(contexts, name));
        if (facts !== undefined) yield facts;
      }
    } catch (error) {
      throw fileError(error, contexts);
    }
  }

  /** Returns nothing for a directory that this user may not list: its checkpoints are not visible either. */
  async #readUnlessClosed(directory: string): Promise<SessionFacts | undefined> {
    try {
      return await this.#read(directory);
    } catch (error) {
      if (this.#isClosed(directory)) return undefined;
      throw error;
    }
  }

  #isClosed(directory: string): boolean {
    try {
      this.#fs.list(directory);
      return false;
    } catch (error) {
      return hasCode(error, "EACCES", "EPERM");
    }
  }

  async #keepDamaged(sessionId: SessionId, directory: string): Promise<void> {
    if (this.#understood.has(sessionId)) return;
    const file = path.join(directory, SESSION_FACTS);
    if (this.#fs.inspect(file)?.kind !== "file" || (await this.#read(directory)) !== undefined) return;
    await moveAside(this.#fs, file, file + DAMAGED);
  }

  async #read(directory: string): Promise<SessionFacts | undefined> {
    const file = path.join(directory, SESSION_FACTS);
    if (this.#fs.inspect(directory)?.kind !== "directory" || this.#fs.inspect(file)?.kind !== "file") return undefined;
    const bytes = await this.#fs.read(file);
    const facts = bytes === undefined ? undefined : parseFacts(bytes);
    // A file copied from another session's directory does not count.
    return facts !== undefined && sessionDirectory(this.#dataDir, facts.sessionId) === directory ? facts : undefined;
  }
}

function textOf(facts: SessionFacts): string {
  // Most sessions have no trash, many no handles, and very few a pending erasure.
  const { trash, shields, erasing, ...rest } = facts;
  const held = Object.fromEntries(shields.map(({ checkpointId, until }) => [checkpointId, until]));
  const more = {
    ...(erasing.length === 0 ? {} : { erasing }),
    ...(trash.length === 0 ? {} : { trash }),
    ...(shields.length === 0 ? {} : { shields: held }),
  };
  const written = { workrailSession: FORMAT, check: "", ...rest, ...more };
  const text = `${JSON.stringify(written, undefined, 2)}\n`;
  return text.replace(`"check": ""`, `"check": "${checkOf(text.replace(`  "check": "",\n`, ""))}"`);
}

/** Returns the checksum of the text without the line of the checksum. */
function checkOf(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 16);
}

function parseFacts(bytes: Uint8Array): SessionFacts | undefined {
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    const value: unknown = JSON.parse(text);
    if (!isJsonObject(value) || value["workrailSession"] !== FORMAT) return undefined;
    // The first release wrote no checksum.
    if (value["check"] !== undefined && CHECK_LINE.exec(text)?.[1] !== checkOf(text.replace(CHECK_LINE, ""))) return undefined;
    const createdAt = new Date(typeof value["createdAt"] === "string" ? value["createdAt"] : Number.NaN);
    if (Number.isNaN(createdAt.getTime())) return undefined;
    return {
      sessionId: parseSessionId(value["sessionId"]),
      createdAt,
      tags: texts(value["tags"]),
      pins: texts(value["pins"]),
      tombstones: texts(value["tombstones"]).map((id) => parseCheckpointId(id)),
      erasing: texts(value["erasing"]).map((id) => parseCheckpointId(id)),
      oldestLive: value["oldestLive"] === null ? null : parseCheckpointId(value["oldestLive"]),
      trash: parseTrash(value["trash"]),
      shields: parseShields(value["shields"]),
    };
  } catch {
    // A torn or foreign file. The caller rebuilds from the checkpoints alone.
    return undefined;
  }
}

function parseTrash(value: JsonValue | undefined): SessionFacts["trash"] {
  if (!Array.isArray(value)) return [];
  return value.filter(isJsonObject).map((entry) => {
    const at = new Date(typeof entry["at"] === "string" ? entry["at"] : Number.NaN);
    return { checkpointId: parseCheckpointId(entry["checkpointId"]), at: Number.isNaN(at.getTime()) ? new Date(0) : at };
  });
}

function parseShields(value: JsonValue | undefined): SessionFacts["shields"] {
  if (!isJsonObject(value)) return [];
  return Object.entries(value).flatMap(([id, time]) => {
    const until = new Date(typeof time === "string" ? time : Number.NaN);
    return Number.isNaN(until.getTime()) ? [] : [{ checkpointId: parseCheckpointId(id), until }];
  });
}

function texts(value: JsonValue | undefined): readonly string[] {
  return Array.isArray(value) ? value.filter((each): each is string => typeof each === "string") : [];
}
