import {
  type AuditAction,
  type AuditQuery,
  type BlobRef,
  type CheckpointId,
  CHECKPOINT_KINDS,
  KEEP_TAG,
  type SessionId,
  type Where,
} from "@workrail/core";
import type { BuiltRead } from "../src/read-shape.ts";

const AT = new Date(0);
const ID = "id" as CheckpointId;
const SESSION = { sessionId: "session" as SessionId };
const PROJECT = { project: "/project" };
const LIVE = { state: "live" } as const;
const TRASH = { state: "trash" } as const;
const WORKFLOWS = { ...LIVE, ...SESSION, kinds: ["workflow"] } as const;
const PLACE = 1;

/** The default of a listing. */
const SHOWN = { ...LIVE, notKinds: ["aside"] } as const;
const SEEN = CHECKPOINT_KINDS.filter((kind) => kind !== "aside");

/** Filters of a project's listing: none, one of each, or its heads. */
const OF_PROJECT: readonly Partial<Where>[] = [
  {},
  { tags: ["tag"] },
  { name: "name" },
  { words: ["word"] },
  { since: AT },
  { until: AT },
  { workflowId: "workflow" },
  { agentId: "agent" },
  { headsOnly: true },
  { headsOnly: true, repository: "/repository" },
];

/** Filters of listings whose statements are built in advance. */
const FILTERS: readonly Where[] = [
  SHOWN,
  { ...SHOWN, headsOnly: true },
  { ...LIVE, kinds: CHECKPOINT_KINDS },
  ...OF_PROJECT.map((filter) => ({ ...SHOWN, ...PROJECT, ...filter })),
  ...CHECKPOINT_KINDS.map((kind) => ({ ...LIVE, ...PROJECT, kinds: [kind] })),
  { ...SHOWN, ...SESSION },
  // LangGraph's saver: threads, namespaces of one, and one value of their metadata.
  { ...SHOWN, workflowId: "workflow" },
  ...[["tag"], ["tag", "other"]].map((tags) => ({ ...SHOWN, ...SESSION, workflowId: "workflow", tags })),
  ...[SEEN, CHECKPOINT_KINDS, ["conversation"] as const].map((kinds) => ({ ...LIVE, ...SESSION, kinds })),
];

function listings(): readonly BuiltRead[] {
  return FILTERS.flatMap((where): readonly BuiltRead[] => [
    { of: "checkpoints", where, order: "newest", limit: 1, offset: 0 },
    { of: "count", where },
    { of: "places", where, order: "newest", limit: 1 },
    { of: "places", where, order: "newest", after: PLACE, limit: 1 },
  ]);
}

/** Answers of rules and of the commands that people and hosts wait for. */
function checkpoints(): readonly BuiltRead[] {
  const inBoth = (where: Omit<Where, "state">): readonly BuiltRead[] =>
    [LIVE, TRASH].map((table) => ({ of: "checkpoints", where: { ...table, ...where }, order: "any", limit: 1 }));
  const head: Where = { ...SHOWN, ...SESSION };
  return [
    { of: "checkpoints", where: head, order: "newest", limit: 1 },
    { of: "checkpoints", where: head, order: "newest", limit: 1, after: PLACE },
    { of: "checkpoints", where: SHOWN, order: "newest", limit: 1 },
    { of: "count", where: { ...LIVE, ...SESSION, damaged: true } },
    { of: "checkpoints", where: { ...LIVE, ...SESSION, kinds: ["aside"], notId: ID }, order: "oldest", limit: 1 },
    { of: "checkpoints", where: { ...WORKFLOWS, notId: ID, withoutTag: KEEP_TAG, unshieldedAt: AT }, order: "oldest", limit: 1 },
    { of: "places", where: WORKFLOWS, order: "oldest", limit: 1 },
    { of: "count", where: WORKFLOWS },
    { of: "places", where: { ...LIVE, ...SESSION }, order: "any", limit: 1 },
    { of: "places", where: { ...TRASH, ...SESSION }, order: "any", limit: 1 },
    { of: "checkpoints", where: { ...TRASH, ...SESSION }, order: "any", limit: 1 },
    { of: "checkpoints", where: { ...LIVE, ...SESSION, isShielded: true }, order: "any", limit: 1 },
    { of: "checkpoints", where: TRASH, order: "trashed", limit: 1 },
    { of: "checkpoints", where: { ...TRASH, ...SESSION }, order: "trashed", limit: 1 },
    ...inBoth({ ...SESSION, kinds: ["aside"], ownTags: ["tag"] }),
    { of: "checkpoints", where: { ...LIVE, kinds: ["aside"], ownTags: ["tag"] }, order: "oldest", limit: 1 },
    { of: "checkpoints", where: { ...LIVE, ids: [ID] }, order: "newest", limit: 1 },
    ...inBoth({ ids: [ID] }),
    ...inBoth({ ...SESSION, ids: [ID] }),
    ...inBoth({ blobs: [] }),
  ];
}

function others(): readonly BuiltRead[] {
  const audit = (query: AuditQuery): BuiltRead => ({ of: "audit", query });
  const newest = (action: AuditAction): BuiltRead => audit({ actions: [action], limit: 1 });
  const blobs: readonly BlobRef[] = [];
  return [
    { of: "sessions", where: { has: "live" }, limit: 1 },
    { of: "sessions", where: { has: "live", ...PROJECT }, limit: 1 },
    { of: "edges", bases: [ID] },
    { of: "edges", dependents: [ID], bases: [ID] },
    { of: "edges", dependents: [ID], sessionIds: [] },
    { of: "removals", blobs },
    { of: "removals", ...SESSION },
    { of: "removals", ...SESSION, isDone: false },
    { of: "removals", isDone: false, isNoBase: true, limit: 1 },
    { of: "erasures" },
    { of: "erasures", blobs },
    { of: "erasures", ...SESSION },
    { of: "erasures", checkpointId: ID },
    audit({ limit: 1 }),
    audit({ limit: 1, after: PLACE }),
    audit({ first: "oldest", limit: 1 }),
    audit({ first: "oldest", limit: 1, after: PLACE }),
    audit({ first: "oldest", limit: 1, since: AT }),
    audit({ actions: ["backup", "export"] }),
    newest("backup"),
    newest("clean-up"),
  ];
}

/** A read of each shape whose statement is built in advance. */
export const COMMON_READS: readonly BuiltRead[] = [...checkpoints(), ...others(), ...listings()];
