import {
  type CheckpointRecord,
  copySession,
  type CopySessionInput,
  invalidInput,
  keepSession,
  parseCheckpointId,
  parseSessionId,
  tagSession,
} from "@workrail/core";
import { sessionMetadataOf } from "../metadata.ts";
import { watchChanges } from "../changes/watch-changes.ts";
import { optional } from "../check-params.ts";
import { type CopySessionParams, listSessionsFor, listTagsFor, traceSessionFor } from "../overview.ts";
import { storeStats } from "../reports/store-stats.ts";
import type { Sessions } from "../workrail.ts";
import { type Facet, MAYBE_PARAMS, PARAMS } from "./operation.ts";

/** Lists and marks sessions. */
export const sessions: Facet<Sessions> = {
  listSessions: {
    // The answer has no field to say that sessions may be missing.
    needs: "readable disk",
    params: MAYBE_PARAMS,
    run: async (store, params = {}) => listSessionsFor(store.parts, { ...params, project: store.listedProject(params) }),
  },
  listTags: {
    needs: "readable disk",
    params: MAYBE_PARAMS,
    run: async (store, params = {}) => listTagsFor(store.parts, { project: store.listedProject(params) }),
  },
  watchChanges: { needs: "disk", params: MAYBE_PARAMS, runs: "stream", run: (store, params = {}) => watchChanges(store, params) },
  traceSession: { needs: "read", params: PARAMS, run: ({ parts }, params) => traceSessionFor(parts, params) },
  tagSession: {
    remote: "repeatable",
    needs: "disk",
    changes: true,
    params: PARAMS,
    runs: "alone",
    async run(store, { sessionId, add = [], remove = [] }) {
      // Copied: the caller may change the lists before their turn comes.
      const input = { sessionId: parseSessionId(sessionId), add: [...add], remove: [...remove] };
      return sessionMetadataOf(await store.using(() => tagSession(store.parts, input)));
    },
  },
  copySession: {
    wholeStore: true,
    needs: "disk",
    changes: true,
    params: PARAMS,
    async run(store, params) {
      const input = copyInputOf(params);
      const ports = { ...store.loadPorts, ...store.savePorts, onLoaded: () => {} };
      const copied = await store.withRoom(() => copySession(ports, input));
      store.requestUpkeep([input.to]);
      return copied;
    },
  },
  keepSession: {
    remote: "repeatable",
    needs: "disk",
    changes: true,
    async run({ parts }, sessionId, keep = true) {
      return sessionMetadataOf(await keepSession(parts, { sessionId: parseSessionId(sessionId), keep }));
    },
  },
  storeStats: {
    needs: "whole store",
    params: MAYBE_PARAMS,
    async run(store, { sessionId, project, ...how } = {}) {
      const session = optional(sessionId, (id) => parseSessionId(id));
      const input = { ...how, sessionId: session, project: store.listedProject({ project, sessionId }) };
      return storeStats({ ...store.loadPorts, tokens: store.parts.tokens }, input);
    },
  },
};

function copyInputOf({ fromSessionId, toSessionId, rename, agentId }: CopySessionParams): CopySessionInput {
  if (rename !== undefined && typeof rename !== "function" && !(rename instanceof Map))
    throw invalidInput("rename", "rename must be a function or a map.", "Leave it out for ids derived from the old ones.");
  const named = rename && {
    rename({ id, attributes }: CheckpointRecord) {
      const name = typeof rename === "function" ? rename(id, attributes) : rename.get(id);
      return name && { id: optional(name.checkpointId, (text) => parseCheckpointId(text)), attributes: name.attributes };
    },
  };
  return { from: parseSessionId(fromSessionId, "fromSessionId"), to: parseSessionId(toSessionId, "toSessionId"), agentId, ...named };
}
