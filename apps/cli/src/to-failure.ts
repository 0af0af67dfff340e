import { type ErrorCode, isWorkrailError, type WorkrailError } from "@workrail/core";
import { inOwnName } from "@workrail/process";
import { CommanderError } from "commander";
import { EXIT_CODES } from "./exit-codes.ts";
import { closestSettingOption } from "./setting-options.ts";

/** An error as the command line reports it. */
export interface Failure {
  readonly code: ErrorCode;
  readonly message: string;
  readonly hint: string | undefined;
  readonly details: object;
  readonly exitCode: number;
}

/** Names of the library's parameters on the command line. */
const WORDS: Readonly<Record<string, string>> = {
  sessionId: "--session",
  workflowId: "--workflow",
  agentId: "--agent",
  parentId: "--parent",
  expectedParentId: "--expect-parent",
  checkpointId: "checkpoint id",
};

/** Names of parameters that are also ordinary words. Replaced only at the beginning of a message about that parameter. */
const OPTIONS: Readonly<Record<string, string>> = {
  limit: "--limit",
  offset: "--offset",
  since: "--since",
  until: "--until",
  name: "--name",
  tags: "--tag",
  budgetTokens: "--budget",
};

/**
 * Translates an error into the words of the command line.
 *
 * @param usageHint tells where to read how the command is used.
 */
export function toFailure(error: unknown, usageHint: string): Failure {
  if (isWorkrailError(error)) {
    const { code, message, details, hint } = error;
    return {
      code,
      message: translate(withOption(message, details["field"]), details),
      hint: hint === undefined ? undefined : inOwnName(translate(hint, details)),
      details,
      exitCode: EXIT_CODES[code],
    };
  }
  if (error instanceof CommanderError) {
    const message =
      error.code === "commander.help" ? "No command is given." : suggesting(error.message.replace(/^error: /u, "").replaceAll("\n", " "));
    return { code: "INVALID_INPUT", message, hint: usageHint, details: {}, exitCode: EXIT_CODES.INVALID_INPUT };
  }
  return {
    code: "INTERNAL",
    message: error instanceof Error ? error.message : String(error),
    hint: "If this looks like a bug in Workrail, report it with the output of --json.",
    details: error instanceof Error ? { stack: error.stack } : {},
    exitCode: EXIT_CODES.INTERNAL,
  };
}

/** Adds a suggestion for an unknown option: Commander suggests only options in the help. */
function suggesting(message: string): string {
  const [, option] = /^unknown option '([^']+)'$/u.exec(message) ?? [];
  const meant = option === undefined ? undefined : closestSettingOption(option);
  return meant === undefined ? message : `${message} (Did you mean ${meant}?)`;
}

function withOption(message: string, field: unknown): string {
  const option = typeof field === "string" && message.startsWith(`${field} `) ? OPTIONS[field] : undefined;
  return option === undefined ? message : message.replace(String(field), option);
}

/**
 * Quoted text, text in brackets, paths and parameter names. Quotes and details may be the user's own words; all other text is the
 * library's.
 */
const QUOTED_OR_PARAMETER = /"(?:\\.|[^"\\])*"|`[^`]*`|\([^)]*\)|\[[^\]]*\]|\S*[\\/]\S*|\b[a-z]+(?:Parent)?Id\b/gu;

function translate(text: string, details: WorkrailError["details"]): string {
  const given = Object.entries(details).filter(([name]) => name !== "field");
  const isTheirs = (word: string): boolean => given.some(([, value]) => typeof value === "string" && value.includes(word));
  return text.replaceAll(QUOTED_OR_PARAMETER, (found) => (isTheirs(found) ? found : (WORDS[found] ?? found)));
}
