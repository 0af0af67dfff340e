import { WorkrailError } from "@workrail/core";
import { type Node, parseTree, type ParseError, printParseErrorCode } from "jsonc-parser";

/** The syntax that a host accepts: plain JSON, JSON with comments, or JSON with comments and trailing commas. */
export type JsonDialect = "strict" | "comments" | "comments-and-commas";

/** A host's JSON file. */
export interface JsonFile {
  /** Named in errors. */
  readonly file: string;
  readonly dialect: JsonDialect;
}

/** A text of a host's file, read. */
export interface JsonSource extends JsonFile {
  readonly text: string;
  readonly root: Node;
}

const BOM = "\uFEFF";

/**
 * Reads the text of a host's file.
 *
 * @throws INVALID_INPUT when the host could not read the text, or the text is not an object.
 */
export function readJsonText({ file, dialect }: JsonFile, text: string): JsonSource {
  const errors: ParseError[] = [];
  const root = parsed({ file, dialect }, text, errors);
  const [error] = errors;
  if (error !== undefined) throw unreadable({ file, dialect }, text, error);
  if (root?.type !== "object") throw refusal(file, "it must hold one JSON object");
  return { file, dialect, text, root };
}

function parsed({ file, dialect }: JsonFile, text: string, errors: ParseError[]): Node | undefined {
  // A blank replaces the byte order mark, so that offsets stay true.
  const source = text.startsWith(BOM) ? ` ${text.slice(1)}` : text;
  const options = { disallowComments: dialect === "strict", allowTrailingComma: dialect === "comments-and-commas" };
  try {
    return parseTree(source, errors, options);
  } catch (error) {
    // The library reads recursively, and a deep text can overflow the stack.
    if (error instanceof RangeError) throw refusal(file, "it is nested too deeply", { cause: error });
    throw error;
  }
}

/** True for a text of only blanks and, if the host allows them, comments. */
export function isBlankJson(text: string, dialect: JsonDialect): boolean {
  const withoutMark = text.startsWith(BOM) ? text.slice(1) : text;
  if (dialect === "strict") return withoutMark.trim() === "";
  const errors: ParseError[] = [];
  return parseTree(withoutMark, errors) === undefined && errors.every(({ error }) => printParseErrorCode(error) === "ValueExpected");
}

function unreadable({ file, dialect }: JsonFile, text: string, { error, offset }: ParseError): WorkrailError {
  const line = text.slice(0, offset).split("\n").length;
  if (dialect === "strict" && printParseErrorCode(error) === "InvalidCommentToken") {
    const hint = "Remove the comment, and run the command again.";
    return refusal(file, `line ${line} has a comment, and the host cannot read a file with comments`, { hint });
  }
  const words = printParseErrorCode(error).replaceAll(/(?<!^)[A-Z]/gu, (letter) => ` ${letter.toLowerCase()}`);
  return refusal(file, `it is not valid in line ${line} (${words.toLowerCase()})`, { hint: "Fix it by hand first." });
}

/** The error for a file that cannot be changed. @param reason follows the file's name. */
export function refusal(file: string, reason: string, options: { readonly hint?: string; readonly cause?: unknown } = {}): WorkrailError {
  return new WorkrailError("INVALID_INPUT", `${file} was not changed: ${reason}.`, { details: { file }, ...options });
}
