import { WorkrailError } from "@workrail/core";

/** The words behind a command that takes a session first: the session, and the rest. */
export interface SessionAndRest {
  readonly session: string;
  readonly rest: readonly string[];
}

/**
 * Takes the session that a command is about from `--session`, or else from the first word behind the command.
 *
 * @throws INVALID_INPUT when there is neither.
 */
export function givenSession(words: readonly (string | undefined)[], { session }: { readonly session?: string }): SessionAndRest {
  const given = words.filter((word) => word !== undefined);
  if (session !== undefined) return { session, rest: given };
  const [first, ...rest] = given;
  if (first === undefined) throw noSession();
  return { session: first, rest };
}

/** The same for a command that takes nothing but a session. @throws INVALID_INPUT when two are given. */
export function onlySession(word: string | undefined, options: { readonly session?: string }): string {
  const { session, rest } = givenSession([word], options);
  if (rest.length > 0) {
    throw new WorkrailError("INVALID_INPUT", `Two sessions are given, ${rest[0]} and ${session}.`, { hint: "Leave one of them out." });
  }
  return session;
}

function noSession(): WorkrailError {
  return new WorkrailError("INVALID_INPUT", "No session is given.", { hint: "`workrail sessions` lists the sessions of this project." });
}
