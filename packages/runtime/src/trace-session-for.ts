import { type ListPorts, parseSessionId } from "@workrail/core";
import { traceSession } from "@workrail/views";
import { metadataOf, sessionMetadataOf } from "./metadata.ts";
import type { TraceSessionParams, TraceSessionResult } from "./overview.ts";

/** Returns the metadata of a session's checkpoints as a graph. */
export async function traceSessionFor(ports: ListPorts, { sessionId, ...rest }: TraceSessionParams): Promise<TraceSessionResult> {
  const { session, headId, nodes, total } = await traceSession(ports, { sessionId: parseSessionId(sessionId), ...rest });
  const checkpoints = nodes.map(({ record, children, isParentGone }) => ({
    ...metadataOf(record),
    children: [...children],
    ...(isParentGone ? { parentGone: true as const } : {}),
  }));
  return { session: sessionMetadataOf(session), ...(headId === undefined ? {} : { headId }), checkpoints, total };
}
