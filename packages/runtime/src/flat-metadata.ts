import { GIT_STATE, type JsonObject, SESSION_NAME, SESSION_PROJECT } from "@workrail/core";
import type { CheckpointMetadata } from "./context-management-service.ts";

/** Metadata fields that the product sets itself; callers cannot set them through `metadata`. */
export const OWN_FIELDS: readonly string[] = [
  "id",
  "sessionId",
  "workflowId",
  "project",
  "createdAt",
  "lastAccessedAt",
  "contextSizeBytes",
  "contextHash",
  "blobPath",
  "parentId",
  "kind",
  "sequence",
  "layers",
  "phase",
  GIT_STATE,
  SESSION_NAME,
  SESSION_PROJECT,
  "criticalKeys",
  "damaged",
];

/** True for names that an attribute cannot have: those of labels, and of fields that the product sets. */
export function isFieldName(name: string): boolean {
  return OWN_FIELDS.includes(name) || name === "name" || name === "tags" || name === "agentId";
}

/** Metadata as tools and views have it, with the caller's own keys beside the fields of the product. */
export type FlatMetadata = Omit<Partial<CheckpointMetadata>, "attributes"> & { readonly [key: string]: unknown };

/** Puts the caller's keys next to the other fields, which costs an agent fewer tokens. */
export function flatMetadata({ attributes, ...fields }: Partial<CheckpointMetadata>): FlatMetadata {
  return { ...attributes, ...fields };
}

/** Puts the caller's own keys into `attributes`, the reverse of `flatMetadata`. Without such keys there are no `attributes`. */
export function nestedMetadata(flat: object): Partial<CheckpointMetadata> {
  const entries = Object.entries(flat);
  const fields = Object.fromEntries<unknown>(entries.filter(([key]) => isFieldName(key)));
  const own = entries.filter(([key]) => !isFieldName(key));
  return own.length === 0 ? fields : { ...fields, attributes: Object.fromEntries<unknown>(own) as JsonObject };
}
