import { isUnfinished } from "@workrail/views/work-notes";
import type { HookCall } from "./hook-call.ts";
import { foldersOfProject } from "./hook-places.ts";
import { type HookState, latestStates } from "./hook-state.ts";

const DAY_MS = 24 * 60 * 60 * 1_000;
/** Work that rested longer is not offered. */
const LONGEST_REST_MS = 14 * DAY_MS;
const MOST_LOOKED_AT = 8;

/**
 * The last session of this repository and branch, if it left work to do. Earlier sessions are ignored, because their work may be finished.
 *
 * @param read sessions that were just read.
 */
export function findUnfinished(call: HookCall, own: string, read: readonly HookState[]): HookState | undefined {
  const { place, places, ports } = call;
  const known = foldersOfProject(places, place.project, place.git).flatMap((folder) => [...latestStates(folder, MOST_LOOKED_AT)]);
  const byId = new Map([...known, ...read].map((state) => [state.sessionId, state]));
  const [last] = [...byId.values()]
    .filter((state) => state.sessionId !== own && state.isSubagent !== true && isWork(state) && isHere(state, call))
    .toSorted((left, right) => seenAt(right, ports.now()) - seenAt(left, ports.now()));
  if (last === undefined || last.isBehind === true || ports.now().getTime() - lastAt(last) > LONGEST_REST_MS) return undefined;
  return isUnfinished(last.notes) === undefined ? undefined : last;
}

/** A greeting and its answer do not count as work. */
function isWork({ notes: { counts } }: HookState): boolean {
  return counts.calls > 0 || counts.prompts > 1;
}

function isHere({ git, project }: HookState, { place }: HookCall): boolean {
  if (git?.branch !== undefined && place.git?.branch !== undefined) return git.branch === place.git.branch;
  return place.project !== undefined && (place.git !== undefined || project === place.project);
}

/** Caps a time in the future, from a wrong clock, at now. */
function seenAt(state: HookState, now: Date): number {
  return Math.min(lastAt(state), now.getTime());
}

export function lastAt({ notes, saved }: HookState): number {
  return Date.parse(notes.lastAt ?? saved?.at ?? "") || 0;
}
