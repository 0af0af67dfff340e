import type { OpenOptions } from "./open-options.ts";
import type { CopyStoreOptions } from "./copy-options.ts";
import type { SyncStoreOptions } from "./sync-options.ts";
import type { MigrateStoreOptions } from "./migrate-options.ts";
import type { RestoreOptions } from "./restore-options.ts";
import type { Operations } from "./workrail.ts";

type KeysOfEach<Params> = Params extends unknown ? keyof Params : never;
type FieldsOf<Params> = Readonly<Record<KeysOfEach<Params>, true>>;

/** Methods of the library whose last argument has no named fields of its own. */
type WithoutFields = "collectGarbage" | "fitAnswer" | "fitDescription" | "keepSession" | "storeStatus" | "takeIncoming" | "tokensOf";

type LastOf<Args extends readonly unknown[]> = Required<Args> extends readonly [...unknown[], infer Last] ? Last : never;

/** The parameters of each function with named ones. */
type ParamsOf = { readonly [Name in Exclude<keyof Operations, WithoutFields>]: LastOf<Parameters<Operations[Name]>> } & {
  readonly openWorkrail: OpenOptions;
  readonly restoreBackup: RestoreOptions;
  readonly copyStore: CopyStoreOptions;
  readonly syncStore: SyncStoreOptions;
  readonly listTenants: MigrateStoreOptions;
  readonly migrateStore: MigrateStoreOptions;
};

/** A function of the library with named parameters. */
export type MethodWithParams = keyof ParamsOf;

const LISTING = {
  sessionId: true,
  project: true,
  notProject: true,
  worktrees: true,
  tags: true,
  name: true,
  query: true,
  since: true,
  until: true,
  workflowId: true,
  agentId: true,
  attributes: true,
  phase: true,
  kind: true,
} as const;

const SHAPE = {
  context: true,
  checkpointId: true,
  sessionId: true,
  budgetTokens: true,
  full: true,
  focus: true,
  contextRules: true,
  cursor: true,
  agentId: true,
  isPeek: true,
} as const;
const LOAD = { checkpointId: true, sessionId: true, isPeek: true } as const;
const VIEW = { ...LOAD, budgetTokens: true, focus: true, full: true, keys: true, range: true, cursor: true } as const;
const AUDIT_FILTER = { sessionId: true, actions: true, since: true, until: true, limit: true } as const;

/** The names of the parameters of each method. The compiler compares them with the types. */
export const PARAM_FIELDS: { readonly [Method in MethodWithParams]: FieldsOf<ParamsOf[Method]> } = {
  saveCheckpoint: {
    sessionId: true,
    context: true,
    patch: true,
    metadata: true,
    force: true,
    workflowId: true,
    agentId: true,
    parentId: true,
    expectedParentId: true,
    checkpointId: true,
    phase: true,
    kind: true,
    project: true,
    retention: true,
    contextRules: true,
    secrets: true,
    reportsDropped: true,
  },
  loadCheckpoint: LOAD,
  viewCheckpoint: VIEW,
  viewBriefly: { ...VIEW, details: true },
  resumeWork: {
    checkpointId: true,
    sessionId: true,
    hint: true,
    depth: true,
    budgetTokens: true,
    since: true,
    focus: true,
    limit: true,
    cwd: true,
    isPeek: true,
  },
  savedRepository: { checkpointId: true, sessionId: true, since: true },
  handoff: { checkpointId: true, sessionId: true, budgetTokens: true, focus: true, isPeek: true },
  compressContext: { ...SHAPE, strategy: true, layers: true },
  prioritizeContext: { ...SHAPE, budgets: true, dryRun: true },
  liveContext: {
    sessionId: true,
    context: true,
    workflowId: true,
    agentId: true,
    contextRules: true,
    maxTokens: true,
    focus: true,
    autoSave: true,
    onCondensed: true,
    onCondenseFailed: true,
  },
  findPushed: { checkpoints: true },
  takePushed: { checkpoints: true },
  takeSaves: { saves: true },
  storeConversation: { conversation: true, topic: true, format: true, agentId: true },
  loadCheckpoints: { ids: true, isPeek: true },
  loadTexts: { ids: true, withRecords: true },
  appendRecords: { checkpointId: true, sessionId: true, records: true, agentId: true, secrets: true },
  listCheckpoints: { sessionId: true, limit: true, offset: true },
  eachCheckpoint: LISTING,
  findCheckpoints: { ...LISTING, limit: true, offset: true },
  resolveCheckpoint: { sessionId: true, project: true, inTrash: true },
  searchCheckpoints: {
    query: true,
    sessionId: true,
    project: true,
    kinds: true,
    tags: true,
    since: true,
    until: true,
    agentId: true,
    workflowId: true,
    limit: true,
    signal: true,
    onProgress: true,
  },
  markCritical: { sessionId: true, contextKey: true, critical: true, agentId: true },
  cleanUp: {
    checkpointIds: true,
    sessionId: true,
    unusedForMs: true,
    keepLast: true,
    project: true,
    permanently: true,
    includeKept: true,
    dryRun: true,
    onProgress: true,
  },
  deleteCheckpoint: { checkpointId: true, agentId: true },
  erase: { checkpointIds: true, sessionId: true, sessionIds: true, sparesKept: true, overwrites: true, agentId: true, dryRun: true },
  listTrash: { sessionId: true },
  restoreFromTrash: { sessionId: true, checkpointIds: true },
  emptyTrash: { sessionId: true, dryRun: true, onProgress: true },
  tagSession: { sessionId: true, add: true, remove: true },
  copySession: { fromSessionId: true, toSessionId: true, rename: true, agentId: true },
  listSessions: { project: true, limit: true, offset: true },
  listTags: { project: true },
  watchChanges: { project: true, signal: true },
  traceSession: { sessionId: true, asides: true, limit: true },
  compareCheckpoints: { fromId: true, toId: true },
  storeStats: { sessionId: true, project: true, tokens: true, onProgress: true },
  scanStore: { sessionId: true, onProgress: true, signal: true },
  exportSession: { file: true, signal: true, onProgress: true },
  exportText: { onUnreadable: true, onProgress: true },
  auditLog: { ...AUDIT_FILTER, before: true },
  auditText: AUDIT_FILTER,
  exportAuditLog: AUDIT_FILTER,
  verifyAuditLog: { expected: true, onProgress: true, signal: true },
  upkeep: { verify: true, onProgress: true, signal: true },
  verifyStore: { onProgress: true, signal: true, changesNothing: true },
  rebuildCatalog: { onProgress: true },
  backup: { onProgress: true, signal: true },
  exportAll: { onProgress: true, signal: true },
  finishIndex: { onProgress: true },
  repairStore: { dryRun: true, collectGarbage: true, changesNothing: true, onProgress: true, signal: true },
  importFile: { onConflict: true, dryRun: true, onProgress: true },
  importText: { onConflict: true, dryRun: true },
  openWorkrail: {
    dataDir: true,
    store: true,
    limits: true,
    readOnly: true,
    project: true,
    fallback: true,
    cwd: true,
    env: true,
    settings: true,
    args: true,
    adapters: true,
    upkeep: true,
    takeIncoming: true,
    warmUp: true,
    remembersSessions: true,
    create: true,
    onRebuildProgress: true,
  },
  listTenants: { store: true, env: true, args: true },
  migrateStore: { store: true, env: true, args: true },
  copyStore: { from: true, to: true, env: true, settings: true, args: true, adapters: true, onProgress: true, signal: true },
  syncStore: { from: true, to: true, env: true, settings: true, args: true, adapters: true, onProgress: true, signal: true },
  restoreBackup: { dataDir: true, replace: true, env: true, settings: true, args: true, adapters: true, onProgress: true },
};
