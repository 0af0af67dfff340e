import { checkPath, GIT_STATE, gitStateOf, invalidInput, isWorkrailError, type JsonValue } from "@workrail/core";
import type { IncomingSave } from "./hooks/incoming-save.ts";
import { isIncoming, mayGoAway, savingTo } from "./hooks/take-incoming.ts";
import type { TakenSave, TakeSavesParams, TakeSavesResult } from "./pushed-params.ts";
import type { Store } from "./store.ts";

const MOST = 1_000;

/** Saves what hooks of another machine left, within the limits of this store. Repeating it changes nothing. */
export async function takeSaves(store: Store, { saves }: TakeSavesParams): Promise<TakeSavesResult> {
  if (!Array.isArray(saves) || saves.length > MOST) throw invalidInput("saves", `saves must be a list of at most ${MOST}.`);
  const outcomes: TakenSave[] = [];
  const now = store.parts.clock.now();
  const saveOne = savingTo({ ...store.loadPorts, ...store.savePorts }, now);
  for (const given of saves as readonly IncomingSave[]) {
    let hasGap = false;
    try {
      const save = parseSave(given, now);
      const sessionId = await store.withRoom(() => saveOne(save, () => void (hasGap = true)));
      if (sessionId !== undefined) store.requestUpkeep([sessionId]);
      outcomes.push({ status: sessionId === undefined ? "present" : "taken", ...(hasGap ? { hasGap } : {}) });
    } catch (error) {
      if (!isWorkrailError(error) || mayGoAway(error)) throw error;
      outcomes.push({ status: "refused", error });
    }
  }
  return { outcomes };
}

/** Checks an untrusted save. A time to come would keep a checkpoint for longer than the rules of this store. */
function parseSave(given: IncomingSave, now: Date): IncomingSave {
  if (!isIncoming(given as unknown as JsonValue)) throw invalidInput("saves", "The item is not a save of a hook.");
  const { project, git, createdAt } = given;
  if (project !== undefined) checkPath(project, "project");
  const attributes = git === undefined ? {} : { [GIT_STATE]: { ...git } };
  return {
    ...given,
    git: gitStateOf({ attributes, project }),
    createdAt: Date.parse(createdAt) > now.getTime() ? now.toISOString() : createdAt,
  };
}
