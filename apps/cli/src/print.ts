import { styleText } from "node:util";
import type { LogFields } from "@workrail/core";
import { escapeJson, escapeOutput, escapeText } from "./escape-text.ts";
import { inOwnName } from "./own-name.ts";
import type { Failure } from "./to-failure.ts";

type Style = Parameters<typeof styleText>[0];

/**
 * Writes data. Resolves when it is written, and also when the reader is gone, as at the end of `| head`: that is its
 * right, and no failure. A terminal finds nothing in it to obey; a file or a program gets it as it is.
 */
export function writeData(text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    process.stdout.write(process.stdout.isTTY ? escapeOutput(text) : text, (error) => {
      if (error === null || error === undefined || codeOf(error) === "EPIPE") resolve();
      else reject(new Error(`Standard output could not be written: ${codeOf(error) ?? error.message}.`, { cause: error }));
    });
  });
}

/** Writes to standard error, which is for people. */
export function writeMessage(text: string): void {
  process.stderr.write(escapeOutput(text));
}

/** Writes one line of JSON, in which a terminal finds nothing to obey. */
export function writeJson(value: unknown): Promise<void> {
  return writeData(`${escapeJson(JSON.stringify(value))}\n`);
}

/** Tells a person something beside the data. */
export function note(text: string): void {
  process.stderr.write(`${escapeText(inOwnName(text))}\n`);
}

/** Has a terminal forget the line that it is at. */
export const CLEARED_LINE = "\r\u001b[K";

/** Reports a warning of the library, whose fields say what it is about. On a terminal it may stand where progress is shown. */
export function printWarning(message: string, fields: LogFields, json: boolean): void {
  const details = Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [name, value instanceof Error ? summary(value) : value]),
  );
  const text = json ? escapeJson(JSON.stringify({ warning: { message, details } })) : warningForPeople(message, details);
  process.stderr.write(`${process.stderr.isTTY ? CLEARED_LINE : ""}${text}\n`);
}

/** What it is about in brackets, and indented below it what to do. */
function warningForPeople(message: string, { hint, ...details }: LogFields): string {
  const told = Object.entries(details).filter(([, value]) => value !== undefined);
  const about = told.map(([name, value]) => `${name}: ${typeof value === "string" ? value : JSON.stringify(value)}`).join(", ");
  const lines = [about === "" ? message : `${message} (${about})`, ...(typeof hint === "string" ? [`  ${hint}`] : [])];
  return `warning: ${lines.map((line) => escapeText(inOwnName(line))).join("\n")}`;
}

/** Reports a failure: `CODE: message`, and indented below it what to do. */
export function printFailure({ code, message, hint, details }: Failure, json: boolean): void {
  if (json) {
    process.stderr.write(`${escapeJson(JSON.stringify({ error: { code, message, hint, details } }))}\n`);
    return;
  }
  process.stderr.write(`${styled("red", code, process.stderr)}: ${escapeText(message)}\n`);
  if (hint !== undefined) process.stderr.write(`  ${escapeText(hint)}\n`);
}

/** Colours a text where it will be seen: on a terminal that has colours, unless `NO_COLOR` says otherwise. */
export function styled(style: Style, text: string, stream: NodeJS.WriteStream): string {
  // `hasColors` is where Node looks at NO_COLOR; streams that are no terminals do not have it.
  return stream.isTTY && stream.hasColors() ? styleText(style, text, { validateStream: false }) : text;
}

/** How wide a line may be: the terminal's width, or `COLUMNS`; data that is piped on is not cut. */
export function outputWidth(): number {
  const widths = [Number.parseInt(process.env["COLUMNS"] ?? "", 10), process.stdout.columns];
  // A terminal that does not know its width says 0.
  return widths.find((width) => width > 0) ?? Number.POSITIVE_INFINITY;
}

function summary(error: Error): string {
  return `${codeOf(error) ?? error.name}: ${error.message}`;
}

function codeOf(error: Error): string | undefined {
  return "code" in error && typeof error.code === "string" ? error.code : undefined;
}
