import type { CheckpointFilter, CheckpointRecord } from "@workrail/core";

/** Whether a record meets every condition that the filter has. */
export function matchesFilter(record: CheckpointRecord, sessionTags: readonly string[], filter: CheckpointFilter): boolean {
  const { name, tags, attributes, workflowId, agentId, createdAt, kind } = record;
  const labels = [name, ...tags, JSON.stringify(attributes), workflowId, agentId];
  const words = (filter.query ?? "").split(/\s+/).filter((word) => word !== "");
  return (
    (filter.kinds === undefined ? kind !== "aside" : filter.kinds.includes(kind)) &&
    (filter.sessionId ?? record.sessionId) === record.sessionId &&
    (filter.project ?? record.project) === record.project &&
    (filter.workflowId ?? workflowId) === workflowId &&
    (filter.agentId ?? agentId) === agentId &&
    (filter.since ?? createdAt) <= createdAt &&
    (filter.until ?? createdAt) >= createdAt &&
    (filter.tags ?? []).every((tag) => tags.includes(tag) || sessionTags.includes(tag)) &&
    (filter.name === undefined || contains(name, filter.name)) &&
    words.every((word) => labels.some((label) => contains(label, word)))
  );
}

function contains(text: string | undefined, part: string): boolean {
  return text?.toLowerCase().includes(part.toLowerCase()) === true;
}
