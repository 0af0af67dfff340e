import { createHash, randomBytes } from "node:crypto";
import { closeSync, constants, fstatSync, openSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { invalidInput, isWorkrailError, WorkrailError } from "@workrail/core";
import * as z from "zod";
import { type Access, type Projects, projectsIn, SCOPES, type Scope, scopesIn, tenantIn } from "./access.ts";

/** Beginning of every token, by which programs that look for secrets find it. */
export const TOKEN_PREFIX = "wrk_";

const token = z.strictObject({
  name: z.string().min(1).max(100),
  sha256: z.string().regex(/^[0-9a-f]{64}$/u),
  scopes: z.array(z.enum(SCOPES)).min(1),
  /** Tenant whose store its holder uses. Absent: the server's own tenant. */
  tenant: z.custom<string>((named) => tenantIn(named) !== undefined, { error: "must be a text of 1 to 128 characters" }).optional(),
  /** The only projects that exist for its holder, the default first. Absent: the whole store. */
  projects: z
    .custom<Projects>((listed) => Array.isArray(listed) && projectsIn(listed) !== undefined, { error: "must list absolute paths" })
    .optional(),
  createdAt: z.iso.datetime(),
  expiresAt: z.iso.datetime(),
});
const content = z.strictObject({ tokens: z.array(token) });

export type StoredToken = z.output<typeof token>;

/** A file with the hashes of bearer tokens. Read again when it changes, so that tokens can be added and revoked under a running server. */
export class TokenFile {
  readonly #path: string;
  #read: { readonly signature: string; readonly byHash: ReadonlyMap<string, StoredToken> } | undefined;

  constructor(path: string) {
    this.#path = path;
  }

  /** Returns the access that a token gives; `undefined` for an unknown one. @throws INVALID_INPUT when the file cannot be used. */
  find(given: string): Access | undefined {
    const found = this.#current().get(hashOf(given));
    if (found === undefined) return undefined;
    const { name, tenant, projects } = found;
    const expiresAt = Date.parse(found.expiresAt) / 1_000;
    return { name, scopes: scopesIn(found.scopes), tenant, projects, expiresAt };
  }

  /** Checks that the file can be used. @throws INVALID_INPUT */
  check(): void {
    this.#current();
  }

  #current(): ReadonlyMap<string, StoredToken> {
    const signature = signatureOf(this.#path);
    if (this.#read?.signature !== signature) {
      this.#read = { signature, byHash: new Map(readTokens(this.#path).map((each) => [each.sha256, each])) };
    }
    return this.#read.byHash;
  }
}

export interface NewToken {
  readonly name: string;
  readonly scopes: readonly Scope[];
  /** Default: the server's own tenant. */
  readonly tenant?: string | undefined;
  /** Default: the whole store. */
  readonly projects?: Projects | undefined;
  readonly days: number;
}

/** Adds a token to the file, which is created if needed. Returns the token, which is stored nowhere. @throws INVALID_INPUT */
export function createToken(path: string, { name, scopes, tenant, projects, days }: NewToken, now = Date.now()): string {
  const made = `${TOKEN_PREFIX}${randomBytes(32).toString("base64url")}`;
  changeTokens(path, (tokens) => {
    if (tokens.some((each) => each.name === name))
      throw invalidInput("name", `There is a token ${JSON.stringify(name)} already.`, "Choose another name, or revoke that token first.");
    const times = { createdAt: new Date(now).toISOString(), expiresAt: new Date(now + days * 86_400_000).toISOString() };
    return [...tokens, { name, sha256: hashOf(made), scopes: [...scopes], tenant, projects, ...times }];
  });
  return made;
}

/** Removes a token from the file. @throws INVALID_INPUT, also for an unknown name */
export function revokeToken(path: string, name: string): void {
  changeTokens(path, (tokens) => {
    const rest = tokens.filter((each) => each.name !== name);
    if (rest.length === tokens.length)
      throw invalidInput("name", `There is no token ${JSON.stringify(name)}.`, "List them: workrail-mcp token list");
    return rest;
  });
}

/** Reads the tokens. @throws INVALID_INPUT */
export function readTokens(path: string): readonly StoredToken[] {
  let text: string;
  try {
    text = readPrivately(path);
  } catch (cause) {
    if (isWorkrailError(cause)) throw cause;
    throw unusable(`The token file ${path} cannot be read.`, "Make one with `workrail-mcp token create`.", cause);
  }
  return parseTokens(path, text);
}

function parseTokens(path: string, text: string): readonly StoredToken[] {
  const parsed = content.safeParse(jsonOf(text));
  if (parsed.success) return parsed.data.tokens;
  const [issue] = parsed.error.issues;
  const where = issue?.path.join(".") ?? "";
  throw unusable(
    `The token file ${path} is not as expected${where === "" ? "" : ` at ${where}`}: ${issue?.message ?? ""}`,
    "Correct it, or make a new one.",
  );
}

function changeTokens(path: string, change: (tokens: readonly StoredToken[]) => readonly StoredToken[]): void {
  const next = `${path}.new`;
  // Also a lock: of two changes at the same time one would be lost.
  const fd = openNew(next);
  try {
    try {
      const isThere = statSync(path, { throwIfNoEntry: false }) !== undefined;
      const tokens = change(isThere ? readTokens(path) : []);
      writeFileSync(fd, `${JSON.stringify({ tokens }, undefined, 2)}\n`);
    } finally {
      // Windows neither renames nor removes an open file.
      closeSync(fd);
    }
    renameSync(next, path);
  } catch (error) {
    rmSync(next, { force: true });
    throw error;
  }
}

function openNew(path: string): number {
  try {
    return openSync(path, "wx", 0o600);
  } catch (cause) {
    const isThere = (cause as NodeJS.ErrnoException).code === "EEXIST";
    throw isThere
      ? unusable(`Another program changes the tokens: ${path} is there.`, "If none does, remove that file.", cause)
      : unusable(`${path} cannot be written.`, "Choose another place with --http-token-file.", cause);
  }
}

/** Reads a regular file that only its owner can read. */
function readPrivately(path: string): string {
  const { O_NONBLOCK: withoutWaiting = 0 } = constants as Partial<typeof constants>;
  const fd = openSync(path, constants.O_RDONLY | withoutWaiting);
  try {
    const found = fstatSync(fd);
    if (!found.isFile()) throw unusable(`The token file ${path} is not a regular file.`, "Give the path of a file.");
    if (process.platform !== "win32" && (found.mode & 0o077) !== 0)
      throw unusable(`Others can read or change the token file ${path}.`, "Run `chmod 600` on it.");
    return readFileSync(fd, "utf8");
  } finally {
    closeSync(fd);
  }
}

function signatureOf(path: string): string {
  const found = statSync(path, { bigint: true, throwIfNoEntry: false });
  return found === undefined ? "missing" : [found.ino, found.size, found.mtimeNs, found.mode].join(" ");
}

function hashOf(given: string): string {
  return createHash("sha256").update(given).digest("hex");
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

function unusable(message: string, hint: string, cause?: unknown): WorkrailError {
  return new WorkrailError("INVALID_INPUT", message, { hint, cause, details: { field: "httpTokenFile" } });
}
