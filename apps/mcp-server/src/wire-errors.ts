import { ERROR_CODES, isWorkrailError, WorkrailError } from "@workrail/core";

/** A failed call as the client gets it: a text for the model, the rest for programs. */
export interface ToolFailure {
  /** `CODE: what happened. What to do.` */
  readonly text: string;
  readonly code: string;
  readonly httpStatus: number;
  readonly details: Readonly<Record<string, unknown>>;
}

/** Turns whatever a tool threw into the failure that the client reads. */
export function toToolFailure(error: unknown): ToolFailure {
  const { code, message, hint, details } = isWorkrailError(error) ? error : unforeseen();
  const sentences = [message, hint ?? ""].map(asSentence).filter((sentence) => sentence !== "");
  return { text: `${code}: ${sentences.join(" ")}`, code, httpStatus: ERROR_CODES[code].httpStatus, details };
}

/** Says nothing of the cause: the message of an unforeseen error may quote stored text, which has no place in an error. */
function unforeseen(): WorkrailError {
  return new WorkrailError("INTERNAL", "The tool failed in a way that was not foreseen", {
    hint: "The cause is in the server's log on stderr; calling again does no harm",
  });
}

function asSentence(text: string): string {
  const trimmed = text.trim();
  return trimmed === "" || /[.!?]$/u.test(trimmed) ? trimmed : `${trimmed}.`;
}
