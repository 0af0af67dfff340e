import type { CheckpointRecord } from "../model/checkpoint.ts";
import { isJsonObject } from "../model/context.ts";
import { hasAttributes } from "../model/attribute-filter.ts";
import { GIT_STATE } from "../model/git-state.ts";
import { foldedForms, foldedLabels } from "./folded.ts";
import type { CheckpointFilter } from "./queries/query-checkpoints.ts";

/** True when a record meets every condition of a filter. */
export function matchesFilter(record: CheckpointRecord, sessionTags: readonly string[], filter: CheckpointFilter): boolean {
  return (
    matchesKind(record, filter) &&
    isSame(record.sessionId, filter.sessionId) &&
    record.id.startsWith(filter.idPrefix ?? "") &&
    isOfProject(record, filter) &&
    (filter.notProject === undefined || record.project !== filter.notProject) &&
    isSame(record.workflowId, filter.workflowId) &&
    isSame(record.agentId, filter.agentId) &&
    hasAttributes(record.attributes, filter.attributes ?? {}) &&
    (filter.phase === undefined || record.attributes["phase"] === filter.phase) &&
    (filter.since === undefined || record.createdAt >= filter.since) &&
    (filter.until === undefined || record.createdAt <= filter.until) &&
    (filter.tags ?? []).every((tag) => record.tags.includes(tag) || sessionTags.includes(tag)) &&
    (filter.name === undefined || (record.name !== undefined && holds(record.name, filter.name))) &&
    matchesQuery(record, filter.query)
  );
}

function matchesKind(record: CheckpointRecord, { kinds }: CheckpointFilter): boolean {
  return kinds === undefined ? record.kind !== "aside" : kinds.includes(record.kind);
}

function isOfProject(record: CheckpointRecord, { project, repository }: CheckpointFilter): boolean {
  if (project === undefined && repository === undefined) return true;
  const isThere = project !== undefined && record.project === project;
  const kept = record.attributes[GIT_STATE];
  return isThere || (repository !== undefined && isJsonObject(kept) && kept["commonDir"] === repository);
}

function isSame(value: string | undefined, wanted: string | undefined): boolean {
  return wanted === undefined || value === wanted;
}

function matchesQuery(record: CheckpointRecord, query = ""): boolean {
  const words = query.split(/\s+/).filter((word) => word !== "");
  if (words.length === 0) return true;
  const labels = foldedLabels(record);
  return words.every((word) => foldedForms(word).some((form) => labels.includes(form)));
}

function holds(text: string, part: string): boolean {
  return text.toLowerCase().includes(part.toLowerCase());
}
