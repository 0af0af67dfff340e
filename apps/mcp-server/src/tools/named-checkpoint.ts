import type { Workrail } from "@workrail/runtime";

interface Named {
  readonly context?: unknown;
  readonly checkpointId?: string | undefined;
  readonly sessionId?: string | undefined;
}

/** The request with the whole id of the checkpoint that it names by the first characters of one, or as `latest~2`, in its session if it has one. */
export async function withNamedCheckpoint<T extends Named>(workrail: Workrail, request: T): Promise<T> {
  const { context, checkpointId: reference, sessionId } = request;
  // What is given twice is refused where it is used, with the reason.
  const isAlone = context === undefined && (sessionId === undefined || reference?.startsWith("latest") === true);
  if (reference === undefined || !isAlone) return request;
  const { checkpointId } = await workrail.resolveCheckpoint(reference, { sessionId });
  return { ...request, checkpointId, sessionId: undefined };
}
