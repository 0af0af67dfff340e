import { DEFAULT_LIMITS, type Digester, isWorkrailError, type JsonValue, type Limits, parseJson, WorkrailError } from "@workrail/core";
import {
  type ExportedCheckpoint,
  type ExportedSession,
  parseCheckpoint,
  parseSession,
  parseUnreadable,
  type UnreadableInExport,
} from "./export-fields.ts";
import { EXPORT_FORMAT, EXPORT_VERSION } from "./export-text.ts";
import { JsonScanner, type ValueLimits } from "./json-scanner.ts";

/** Part of an export, in reading order. */
export type ExportPart =
  | { readonly kind: "session"; readonly session: ExportedSession }
  | { readonly kind: "checkpoint"; readonly checkpoint: ExportedCheckpoint; readonly place: Place }
  | { readonly kind: "unreadable"; readonly checkpoints: readonly UnreadableInExport[] };

/** Place in an export, for messages. */
export interface Place {
  readonly path: string;
  readonly line: number;
}

type ReadLimits = Pick<Limits, "maxContextBytes" | "maxDepth">;

/** Most characters that indentation and facts add to a context. */
const ADDED_LENGTH = 32 * 1024 * 1024;
const SMALL: ValueLimits = { maxLength: 1024 * 1024, maxDepth: 8 };
const MANY: ValueLimits = { ...SMALL, maxLength: ADDED_LENGTH };

/**
 * Reads an export in parts, with at most one checkpoint in memory. The parts are valid and match their checks; the digests of
 * contexts are not yet verified.
 *
 * @throws UNSUPPORTED_VERSION for a newer format; INVALID_INPUT naming the place; TOO_LARGE.
 */
export async function* readExport(
  chunks: AsyncIterable<string>,
  { limits, digests }: { readonly limits: ReadLimits; readonly digests: Digester },
): AsyncGenerator<ExportPart, void, undefined> {
  const scanner = new JsonScanner(chunks);
  try {
    await readHeader(scanner);
    const session = await readMember(scanner, "session", { limits: SMALL });
    yield { kind: "session", session: await atPlace({ path: "session", line: scanner.line }, () => parseSession(session, digests)) };
    await readName(scanner, "checkpoints");
    yield* readCheckpoints(scanner, limits, digests);
    if ((await scanner.peek()) === ",") yield await readUnreadable(scanner);
    if (!(await scanner.take("}")) || (await scanner.peek()) !== undefined) {
      throw malformed({ path: "the end", line: scanner.line }, "only the list of unreadable checkpoints may follow the checkpoints");
    }
  } finally {
    await scanner.close();
  }
}

/** Format and version come first, so that an export of a later version is recognised regardless of its other changes. */
async function readHeader(scanner: JsonScanner): Promise<void> {
  const place = { path: "the beginning", line: 1 };
  if (!(await scanner.take("{"))) throw malformed(place, "it is not a JSON object");
  const format = await readMember(scanner, "format", { limits: SMALL, isFirst: true });
  if (format !== EXPORT_FORMAT) throw malformed({ ...place, path: "format" }, `it must be "${EXPORT_FORMAT}"`);
  const version = await readMember(scanner, "version", { limits: SMALL });
  if (typeof version !== "number" || !Number.isSafeInteger(version) || version < 1) {
    throw malformed({ ...place, path: "version" }, "it must be a whole number from 1");
  }
  if (version > EXPORT_VERSION) {
    throw new WorkrailError(
      "UNSUPPORTED_VERSION",
      `The export has format version ${version}; this Workrail reads up to ${EXPORT_VERSION}.`,
      {
        details: { version, supported: EXPORT_VERSION },
        hint: "Update Workrail to import it.",
      },
    );
  }
}

async function* readCheckpoints(scanner: JsonScanner, limits: ReadLimits, digests: Digester): AsyncGenerator<ExportPart, void, undefined> {
  if (!(await scanner.take("["))) throw malformed({ path: "checkpoints", line: scanner.line }, "they must be a list");
  if (await scanner.take("]")) return;
  const most: ValueLimits = {
    maxLength: limits.maxContextBytes + ADDED_LENGTH,
    // A checkpoint is one level above its context; attributes have their own limit.
    maxDepth: Math.max(limits.maxDepth, DEFAULT_LIMITS.maxDepth) + 1,
  };
  for (let index = 0; ; index++) {
    await scanner.peek();
    const place = { path: `checkpoints[${index}]`, line: scanner.line };
    const value = await readValue(scanner, place, most);
    yield { kind: "checkpoint", checkpoint: await atPlace(place, () => parseCheckpoint(value, digests)), place };
    if (await scanner.take("]")) return;
    if (!(await scanner.take(","))) throw malformed(place, "a comma or the end of the list must follow it");
  }
}

async function readUnreadable(scanner: JsonScanner): Promise<ExportPart> {
  const value = await readMember(scanner, "unreadable", { limits: MANY });
  const place = { path: "unreadable", line: scanner.line };
  return { kind: "unreadable", checkpoints: await atPlace(place, () => parseUnreadable(value)) };
}

/** Reads the member that must come next. */
async function readMember(
  scanner: JsonScanner,
  name: string,
  { limits, isFirst }: { readonly limits: ValueLimits; readonly isFirst?: boolean },
): Promise<JsonValue> {
  await readName(scanner, name, isFirst);
  return readValue(scanner, { path: name, line: scanner.line }, limits);
}

async function readName(scanner: JsonScanner, name: string, isFirst = false): Promise<void> {
  const place = { path: name, line: scanner.line };
  const isNext =
    (isFirst || (await scanner.take(","))) &&
    (await scanner.peek()) === `"` &&
    (await readValue(scanner, place, SMALL)) === name &&
    (await scanner.take(":"));
  if (!isNext) throw malformed(place, `"${name}" must come next; the order is format, version, session, checkpoints, unreadable`);
}

async function readValue(scanner: JsonScanner, place: Place, limits: ValueLimits): Promise<JsonValue> {
  return atPlace(place, async () => {
    const text = await scanner.value(limits);
    try {
      return parseJson(text);
    } catch (cause) {
      throw new WorkrailError("INVALID_INPUT", "It is not JSON.", { cause });
    }
  });
}

/**
 * Runs work and adds the place to its errors.
 *
 * @throws the error of the work, with the place before its message.
 */
export async function atPlace<T>(place: Place, work: () => T | Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    if (!isWorkrailError(cause)) throw cause;
    throw new WorkrailError(cause.code, `In ${place.path}, line ${place.line}: ${cause.message}`, {
      details: { ...cause.details, place: place.path, line: place.line },
      hint: cause.hint ?? HINT,
      cause,
    });
  }
}

const HINT = "Nothing was imported. Export it again, or undo the manual changes.";

function malformed(place: Place, rule: string): WorkrailError {
  return new WorkrailError("INVALID_INPUT", `In ${place.path}, line ${place.line}: ${rule}.`, {
    details: { place: place.path, line: place.line },
    hint: "Import only files that `workrail export` wrote. Nothing was imported.",
  });
}
