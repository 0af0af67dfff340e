import type { DataApi } from "../data/calls.ts";
import type { SavedCheckpoint, SavedSession } from "../data/saved-session.ts";
import { CallError, type Host } from "./host.ts";

/** Reads the data that stands in the page itself; `undefined` when there is none. */
export function savedHost(): Host | undefined {
  const data = document.querySelector("#saved-session")?.textContent;
  if (data === undefined || data === null) return undefined;
  const session = JSON.parse(data) as SavedSession;
  return { ready: Promise.resolve(), api: apiOf(session) as DataApi, savedAt: session.savedAt };
}

type SavedCalls = Pick<
  DataApi,
  "sessions" | "timeline" | "sizes" | "changes" | "context" | "value" | "raw" | "drift" | "resume" | "handoff" | "conversation"
>;

function apiOf({ timeline, sizes, checkpoints }: SavedSession): SavedCalls {
  const saved = (id: string): SavedCheckpoint => checkpoints[id] ?? missing("This checkpoint");
  return {
    sessions: async () => ({
      sessions: [{ ...timeline.session, head: timeline.rows.find(({ id }) => id === timeline.headId) }],
      total: 1,
      mayWrite: false,
    }),
    timeline: async () => timeline,
    sizes: async ({ ids }) => sizes.filter(({ id }) => ids.includes(id)),
    changes: async ({ fromId, toId }) => {
      const { changes } = saved(toId);
      return changes?.from.id === fromId ? changes : missing("This comparison");
    },
    context: async ({ checkpointId }) => saved(checkpointId).context,
    drift: async ({ checkpointId }) => saved(checkpointId).resume.drift ?? null,
    resume: async ({ checkpointId }) => saved(checkpointId).resume,
    handoff: async ({ checkpointId }) => saved(checkpointId).handoff,
    conversation: async ({ checkpointId }) => saved(checkpointId).conversation,
    value: async ({ checkpointId, key }) => {
      const entry = saved(checkpointId).context.entries.find((each) => each.key === key);
      return { text: entry?.text ?? "", offset: 0, characters: entry?.text.length ?? 0 };
    },
    raw: async ({ checkpointId }) => {
      const { raw } = saved(checkpointId);
      return { text: raw, offset: 0, characters: raw.length };
    },
  };
}

function missing(what: string): never {
  throw new CallError(
    "NOT_SAVED",
    `${what} is not in this file.`,
    "The file contains the newest checkpoints of one session, each compared with the previous one.",
  );
}
