import { ERROR_CODES, isWorkrailError, WorkrailError } from "@workrail/core";

/** A failed call as the client receives it: a text for the model, the rest for programs. */
export interface ToolFailure {
  /** Text as `CODE: description. Advice.` */
  readonly text: string;
  readonly code: string;
  readonly httpStatus: number;
  readonly details: Readonly<Record<string, unknown>>;
}

/** Converts an error of a tool into the failure that the client receives. */
export function toToolFailure(error: unknown): ToolFailure {
  const { code, message, hint, details } = isWorkrailError(error) ? error : unforeseen();
  const sentences = [message, hint ?? ""].map(asSentence).filter((sentence) => sentence !== "");
  return { text: `${code}: ${sentences.join(" ")}`, code, httpStatus: ERROR_CODES[code].httpStatus, details };
}

/** Hides the cause: the message of an unexpected error may quote stored text. */
function unforeseen(): WorkrailError {
  return new WorkrailError("INTERNAL", "The tool failed unexpectedly", {
    hint: "The cause is in the server's log on stderr; the call may be repeated",
  });
}

function asSentence(text: string): string {
  const trimmed = text.trim();
  return trimmed === "" || /[.!?]$/u.test(trimmed) ? trimmed : `${trimmed}.`;
}
