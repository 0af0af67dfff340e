import { randomBytes } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import { fileError, type FileRefusal, makeDataDirectory, nodeFileSystem, readGivenFileNow } from "@workrail/blob-files";
import { WorkrailError } from "@workrail/core";
import { applyEdits, modify, type Node, parseTree, type ParseError, printParseErrorCode, stripComments } from "jsonc-parser";
import { canBeListed } from "../can-be-listed.ts";

/** The file's name in the data directory. */
export const CONFIG_FILE = "config.json";

/** Written by hand; whatever is larger is something else. */
const MAX_BYTES = 256 * 1024;
const LAYOUT = { insertSpaces: true, tabSize: 2, eol: "\n", insertFinalNewline: true } as const;

/** A place in a text; both count from 1. */
export interface TextPlace {
  readonly line: number;
  readonly column: number;
}

export interface ConfigMember {
  readonly name: string;
  readonly value: unknown;
  readonly place: TextPlace;
}

/** What is in a file of settings, whether it makes sense or not. */
export interface ConfigText {
  /** `undefined`: there is no file. */
  readonly text: string | undefined;
  /** Settings in the order in which they stand there. */
  readonly members: readonly ConfigMember[];
  /** Why the file cannot be read, or where it is not what it should be. */
  readonly fault?: { readonly message: string; readonly place?: TextPlace; readonly isOfDisk?: true };
}

/** Reads a file of settings. Never fails: what is wrong is told. */
export function readConfigFile(file: string): ConfigText {
  const read = readGivenFileNow(file, MAX_BYTES);
  if ("refused" in read) return refused(file, read);
  try {
    return parseConfig(read.bytes.toString("utf8"));
  } catch (error) {
    // The library descends into what it reads, as far as there is room for that.
    if (error instanceof RangeError) return faulty("It is nested too deeply");
    throw error;
  }
}

function faulty(message: string): ConfigText {
  return { text: undefined, members: [], fault: { message } };
}

function parseConfig(text: string): ConfigText {
  const source = text.startsWith("\uFEFF") ? text.slice(1) : text;
  // A file of nothing, or of comments, sets nothing.
  if (isBlank(source)) return { text: source, members: [] };
  const errors: ParseError[] = [];
  const root = parseTree(source, errors, { allowTrailingComma: true });
  const [error] = errors;
  if (error !== undefined) return { text: source, members: [], fault: { message: inWords(error), place: placeOf(source, error.offset) } };
  if (root?.type !== "object") return { text: source, members: [], fault: { message: "It must be one JSON object" } };
  return { text: source, members: (root.children ?? []).map((property) => memberOf(source, property)) };
}

/**
 * Sets one member of a file of settings, or takes it out with `undefined`. Everything else in the file stays, comments too. It is
 * replaced at once and is its owner's alone.
 *
 * @throws INVALID_INPUT when the file is not what it should be: it must be put right by hand first; STORAGE_UNAVAILABLE when the data
 *   directory is a file, or cannot be written to.
 */
export function writeConfigMember(file: string, name: string, value: unknown): void {
  const { text = "", fault } = readConfigFile(file);
  if (fault !== undefined) {
    throw new WorkrailError("INVALID_INPUT", `${fault.message} (${describePlace(file, fault.place)}), so nothing was changed in it.`, {
      details: { file, ...fault.place },
      hint: "Put it right by hand first.",
    });
  }
  const source = isBlank(text) ? `${text}{}\n` : text;
  const changed =
    value === undefined ? without(source, name) : applyEdits(source, modify(source, [name], value, { formattingOptions: LAYOUT }));
  try {
    makeDataDirectory(path.dirname(file));
    replaceFile(file, changed);
  } catch (error) {
    throw fileError(error, path.dirname(file));
  }
}

function replaceFile(file: string, text: string): void {
  // Nobody can have put a link there: the name is not to be known beforehand, and is not written to when it is taken.
  const unfinished = `${file}.${randomBytes(8).toString("hex")}.tmp`;
  try {
    fs.writeFileSync(unfinished, text, { mode: 0o600, flag: "wx", flush: true });
    // Whoever reads it in this moment is waited for.
    nodeFileSystem.rename(unfinished, file);
  } catch (error) {
    fs.rmSync(unfinished, { force: true });
    throw error;
  }
}

/** `/data/config.json, line 3`. */
export function describePlace(file: string, place: TextPlace | undefined): string {
  return place === undefined ? file : `${file}, line ${place.line}`;
}

/** The library would take the comments before it, too. A comma that is left over does no harm. */
function without(source: string, name: string): string {
  const property = parseTree(source)?.children?.find(({ children }) => children?.[0]?.value === name);
  if (property === undefined) return source;
  const before = source.slice(0, property.offset);
  const after = source.slice(property.offset + property.length).replace(/^\s*,/u, "");
  // Of a line of its own nothing stays.
  const isAlone = /\n[ \t]*$/u.test(before) && /^[ \t]*\r?\n/u.test(after);
  return isAlone ? before.replace(/[ \t]*$/u, "") + after.replace(/^[ \t]*\r?\n/u, "") : before + after;
}

function isBlank(text: string): boolean {
  return stripComments(text).trim() === "";
}

function memberOf(source: string, property: Node): ConfigMember {
  const [key, value] = property.children ?? [];
  return {
    name: String(key?.value),
    value: value === undefined ? undefined : valueOf(source, value),
    place: placeOf(source, property.offset),
  };
}

/** Settings are single values; of anything else it is enough to know that it is none. */
function valueOf(source: string, node: Node): unknown {
  return node.type === "object" || node.type === "array" ? { text: source.slice(node.offset, node.offset + node.length) } : node.value;
}

function placeOf(source: string, offset: number): TextPlace {
  const before = source.slice(0, offset).split("\n");
  return { line: before.length, column: (before.at(-1)?.length ?? 0) + 1 };
}

/** `CommaExpected`: "comma expected". */
function inWords({ error }: ParseError): string {
  const words = printParseErrorCode(error).replaceAll(/(?<!^)[A-Z]/gu, (letter) => ` ${letter.toLowerCase()}`);
  return `It is not JSON with comments, ${words.toLowerCase()}`;
}

function refused(
  file: string,
  { refused: reason, code }: { readonly refused: FileRefusal; readonly code?: string | undefined },
): ConfigText {
  if (reason === "missing") return { text: undefined, members: [] };
  if (reason === "not-a-file") return faulty("config.json is a symbolic link, which is not followed, or no regular file");
  if (reason === "too-large") return faulty(`It is larger than ${MAX_BYTES} bytes`);
  const message = `It cannot be read, ${code ?? reason}`;
  // When the disk itself cannot be used, the settings are the least of it.
  const isOfFile = (code === "EACCES" || code === "EPERM") && canBeListed(path.dirname(file));
  return { text: undefined, members: [], fault: isOfFile ? { message } : { message, isOfDisk: true } };
}
