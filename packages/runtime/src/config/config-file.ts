import { randomBytes } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import { fileError, type FileRefusal, makeDataDirectory, nodeFileSystem, readGivenFileNow } from "@workrail/blob-files";
import { WorkrailError } from "@workrail/core";
import { applyEdits, modify, type Node, parseTree, type ParseError, printParseErrorCode, stripComments } from "jsonc-parser";
import { canBeListed } from "../can-be-listed.ts";

/** The file's name in the data directory. */
export const CONFIG_FILE = "config.json";

/** The file is written by hand; anything larger is some other file. */
const MAX_BYTES = 256 * 1024;
const LAYOUT = { insertSpaces: true, tabSize: 2, eol: "\n", insertFinalNewline: true } as const;

/** A place in a text; line and column count from 1. */
export interface TextPlace {
  readonly line: number;
  readonly column: number;
}

export interface ConfigMember {
  readonly name: string;
  readonly value: unknown;
  readonly place: TextPlace;
}

/** Content of a settings file, valid or not. */
export interface ConfigText {
  /** `undefined` when there is no file. */
  readonly text: string | undefined;
  /** Settings in the order of the file. */
  readonly members: readonly ConfigMember[];
  /** The reason why the file cannot be read, or the place where it is invalid. */
  readonly fault?: { readonly message: string; readonly place?: TextPlace; readonly isOfDisk?: true };
}

/** Reads a settings file. Never fails: the result reports the fault. */
export function readConfigFile(file: string): ConfigText {
  const read = readGivenFileNow(file, MAX_BYTES);
  if ("refused" in read) return refused(file, read);
  try {
    return parseConfig(read.bytes.toString("utf8"));
  } catch (error) {
    // The parser recurses, so deep nesting overflows the stack.
    if (error instanceof RangeError) return faulty("It is nested too deeply");
    throw error;
  }
}

function faulty(message: string): ConfigText {
  return { text: undefined, members: [], fault: { message } };
}

/** Reads the text of a settings file, or of an object in it. */
export function parseConfig(text: string): ConfigText {
  const source = text.startsWith("\uFEFF") ? text.slice(1) : text;
  // An empty file, or one with only comments, sets nothing.
  if (isBlank(source)) return { text: source, members: [] };
  const errors: ParseError[] = [];
  const root = parseTree(source, errors, { allowTrailingComma: true });
  const [error] = errors;
  if (error !== undefined) return { text: source, members: [], fault: { message: inWords(error), place: placeOf(source, error.offset) } };
  if (root?.type !== "object") return { text: source, members: [], fault: { message: "It must be one JSON object" } };
  return { text: source, members: (root.children ?? []).map((property) => memberOf(source, property)) };
}

/**
 * Sets one member of a settings file, or removes it when `value` is `undefined`. The rest of the file stays, including comments.
 *
 * The file is replaced atomically and is readable by its owner only.
 *
 * @throws INVALID_INPUT when the file is invalid and must be corrected by hand first; STORAGE_UNAVAILABLE when the data directory is a
 * file, or cannot be written to.
 */
export function writeConfigMember(file: string, name: string, value: unknown): void {
  const { text = "", fault } = readConfigFile(file);
  if (fault !== undefined) {
    throw new WorkrailError("INVALID_INPUT", `${fault.message} (${describePlace(file, fault.place)}), so the file was not changed.`, {
      details: { file, ...fault.place },
      hint: "Correct it by hand first.",
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
  // Safe from planted links: the name cannot be guessed, and an existing file is not written to.
  const unfinished = `${file}.${randomBytes(8).toString("hex")}.tmp`;
  try {
    fs.writeFileSync(unfinished, text, { mode: 0o600, flag: "wx", flush: true });
    // This rename waits for processes that have the file open.
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

/** Removes a member. The parser's own edit would also remove the comments before it. A trailing comma that remains is harmless. */
function without(source: string, name: string): string {
  const property = parseTree(source)?.children?.find(({ children }) => children?.[0]?.value === name);
  if (property === undefined) return source;
  const before = source.slice(0, property.offset);
  const after = source.slice(property.offset + property.length).replace(/^\s*,/u, "");
  // Remove the whole line when the member has a line of its own.
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

/** Returns the value of a node. Settings are scalars; an object or array is only marked as such. */
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
  if (reason === "not-a-file") return faulty("It is a symbolic link or not a regular file");
  if (reason === "too-large") return faulty(`It is larger than ${MAX_BYTES} bytes`);
  const message = `It cannot be read, ${code ?? reason}`;
  // A fault of the disk, not of the file: an unusable disk is the larger problem and is reported elsewhere.
  const isOfFile = (code === "EACCES" || code === "EPERM") && canBeListed(path.dirname(file));
  return { text: undefined, members: [], fault: isOfFile ? { message } : { message, isOfDisk: true } };
}
