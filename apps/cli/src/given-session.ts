import { WorkrailError } from "@workrail/core";

/** Arguments of a command that takes a session first. */
export interface SessionAndRest {
  readonly session: string;
  readonly rest: readonly string[];
}

/**
 * Takes the session of a command from `--session`, or else from the first argument.
 *
 * @throws INVALID_INPUT when neither is given.
 */
export function givenSession(words: readonly (string | undefined)[], { session }: { readonly session?: string }): SessionAndRest {
  const given = words.filter((word) => word !== undefined);
  if (session !== undefined) return { session, rest: given };
  const [first, ...rest] = given;
  if (first === undefined) throw noSession();
  return { session: first, rest };
}

/** Takes the session of a command without other arguments. @throws INVALID_INPUT when two are given. */
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
