import { styleText } from "node:util";
import type { LogFields } from "@workrail/core";
import { escapeJson, escapeOutput, escapeText, inOwnName } from "@workrail/process";
import type { Failure } from "./to-failure.ts";

type Style = Parameters<typeof styleText>[0];

/**
 * Writes data. Resolves when it is written, and also when the reader has closed the pipe, as `| head` does, which is not an error. Escapes
 * control characters on a terminal only.
 */
export function writeData(text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    process.stdout.write(process.stdout.isTTY ? escapeOutput(text) : text, (error) => {
      if (error === null || error === undefined || codeOf(error) === "EPIPE") resolve();
      else reject(new Error(`Standard output could not be written: ${codeOf(error) ?? error.message}.`, { cause: error }));
    });
  });
}

/** Writes to standard error, for people. */
export function writeMessage(text: string): void {
  process.stderr.write(escapeOutput(text));
}

/** Writes one line of JSON, with control characters escaped. */
export function writeJson(value: unknown): Promise<void> {
  return writeData(`${escapeJson(JSON.stringify(value))}\n`);
}

/** Writes a note to a person, on standard error. */
export function note(text: string): void {
  process.stderr.write(`${escapeText(inOwnName(text))}\n`);
}

/** Clears the current line of a terminal. */
export const CLEARED_LINE = "\r\u001b[K";

/** Prints a warning of the library with its fields. Clears a progress line on a terminal first. */
export function printWarning(message: string, fields: LogFields, json: boolean): void {
  const details = Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [name, value instanceof Error ? summary(value) : value]),
  );
  const text = json ? escapeJson(JSON.stringify({ warning: { message, details } })) : warningForPeople(message, details);
  process.stderr.write(`${process.stderr.isTTY ? CLEARED_LINE : ""}${text}\n`);
}

/** Formats a warning: details in brackets, and the hint indented below. */
function warningForPeople(message: string, { hint, ...details }: LogFields): string {
  const told = Object.entries(details).filter(([, value]) => value !== undefined);
  const about = told.map(([name, value]) => `${name}: ${typeof value === "string" ? value : JSON.stringify(value)}`).join(", ");
  const lines = [about === "" ? message : `${message} (${about})`, ...(typeof hint === "string" ? [`  ${hint}`] : [])];
  return `warning: ${lines.map((line) => escapeText(inOwnName(line))).join("\n")}`;
}

/** Prints a failure: `CODE: message`, and the hint indented below. */
export function printFailure({ code, message, hint, details }: Failure, json: boolean): void {
  if (json) {
    process.stderr.write(`${escapeJson(JSON.stringify({ error: { code, message, hint, details } }))}\n`);
    return;
  }
  process.stderr.write(`${styled("red", code, process.stderr)}: ${escapeText(message)}\n`);
  if (hint !== undefined) process.stderr.write(`  ${escapeText(hint)}\n`);
}

/** Colours a text for a terminal with colours, unless `NO_COLOR` is set. */
export function styled(style: Style, text: string, stream: NodeJS.WriteStream): string {
  // `hasColors` respects NO_COLOR; streams other than terminals do not have it.
  return stream.isTTY && stream.hasColors() ? styleText(style, text, { validateStream: false }) : text;
}

/** Returns the width for output: the terminal's, or `COLUMNS`. Piped data is not cut. */
export function outputWidth(): number {
  const widths = [Number.parseInt(process.env["COLUMNS"] ?? "", 10), process.stdout.columns];
  // A terminal of unknown width reports 0.
  return widths.find((width) => width > 0) ?? Number.POSITIVE_INFINITY;
}

function summary(error: Error): string {
  return `${codeOf(error) ?? error.name}: ${error.message}`;
}

function codeOf(error: Error): string | undefined {
  return "code" in error && typeof error.code === "string" ? error.code : undefined;
}
