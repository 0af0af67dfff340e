import { editDistance, isWorkrailError, listSessions, type ListPorts, SESSION_NAME, WorkrailError } from "@workrail/core";

/** A candidate for a session id that does not exist. */
interface LikelySession {
  readonly sessionId: string;
  readonly name?: string;
}

/** Most recently used sessions that are compared. */
const MOST_COMPARED = 100;
const MOST_NAMED = 3;
const LEAST_CHARACTERS = 4;
const MOST_APART = 3;
const LONGEST = 128;

/** Tells whether the error is a missing session, without candidates yet. */
export function isUnknownSession(error: unknown): error is WorkrailError {
  return isWorkrailError(error) && error.code === "SESSION_NOT_FOUND" && error.details["sessions"] === undefined;
}

/**
 * Adds the likely sessions to the error: those whose id or name starts with the given text, or is spelled alike.
 *
 * @param project only sessions with a checkpoint of this project. Default: all.
 */
export async function withLikelySessions(ports: ListPorts, error: WorkrailError, project: string | undefined): Promise<WorkrailError> {
  const wanted = error.details["sessionId"];
  if (typeof wanted !== "string") return error;
  const nearest = await likelySessions(ports, wanted, project);
  if (nearest.length === 0) return error;
  const named = nearest.map(({ sessionId, name }) => (name === undefined ? sessionId : `${sessionId} ("${name}")`));
  return new WorkrailError(error.code, error.message, {
    details: { ...error.details, nearest },
    hint: `Nearest: ${named.join(", ")}.`,
    cause: error,
  });
}

async function likelySessions(ports: ListPorts, reference: string, project: string | undefined): Promise<readonly LikelySession[]> {
  const wanted = reference.toLowerCase();
  const { sessions } = await listSessions(ports, { project, limit: MOST_COMPARED });
  const likely = sessions.map(({ session: { id }, head }) => {
    const kept = head?.attributes[SESSION_NAME];
    const name = typeof kept === "string" ? kept : head?.name;
    return {
      sessionId: id,
      ...(name === undefined ? {} : { name }),
      apart: Math.min(apartFrom(wanted, id), apartFrom(wanted, name ?? "")),
    };
  });
  return likely
    .filter(({ apart }) => apart <= MOST_APART)
    .toSorted((one, other) => one.apart - other.apart)
    .slice(0, MOST_NAMED)
    .map(({ apart: _apart, ...session }) => session);
}

/** Returns the edit distance, or 0 for a prefix. */
function apartFrom(wanted: string, text: string): number {
  const most = Math.min(MOST_APART, Math.max(1, Math.floor(wanted.length / 4)));
  if (text === "" || text.length > LONGEST) return MOST_APART + 1;
  if (wanted.length >= LEAST_CHARACTERS && text.toLowerCase().startsWith(wanted)) return 0;
  const apart = editDistance(wanted, text.toLowerCase(), most);
  return apart <= most ? apart : MOST_APART + 1;
}
