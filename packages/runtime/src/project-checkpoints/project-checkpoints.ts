import {
  type Digester,
  isWorkrailError,
  type JsonObject,
  parseCheckpointId,
  firstCharacters,
  hasAtMost,
  type TokenCounter,
} from "@workrail/core";
import { projectNotAllowed } from "@workrail/wrappers";
import type {
  CheckpointMetadata,
  FindCheckpointsParams,
  FindCheckpointsResult,
  IContextManagementService,
  LoadCheckpointResult,
  Standing,
} from "../context-management-service.ts";
import type { SearchCheckpointsParams, SearchCheckpointsResult } from "../search/search-checkpoints.ts";
import { type Scope, scopeOf } from "../isolation.ts";
import type { EraseResult } from "../erasing.ts";
import type { Settings } from "../settings.ts";
import type {
  CreatedProjectCheckpoint,
  CreateProjectCheckpoint,
  FoundProjectCheckpoints,
  ListedProjectCheckpoints,
  ListProjectCheckpoints,
  ProjectHealth,
  ProjectCheckpoint,
  SearchProjectCheckpoints,
} from "./project-checkpoint.ts";
import { parseExistingProject, parseProjectPath, sessionOfProject } from "./project-path.ts";
import { SaveLimiter } from "./save-limiter.ts";
import { checkCount, checkProjectDraft, checkProjectTags, invalidField } from "./project-draft.ts";
import { contextOfDraft, textOfProject, readAsProject } from "./read-as-project.ts";
import { PROJECT_LIMITS, PROJECT_PAGES } from "./project-limits.ts";

/** A longer context is not repeated in the metadata, which has its own limit. */
const MOST_LABELS_CHARACTERS = 4_096;

/** Characters of a query that are searched for; the rest is ignored. */
const MOST_QUERY_CHARACTERS = 1_000;

/** The methods of a store that project checkpoints use. */
interface UsedStore extends Pick<IContextManagementService, "saveCheckpoint" | "loadCheckpoint"> {
  findCheckpoints(params?: FindCheckpointsParams): Promise<FindCheckpointsResult>;
  searchCheckpoints(params: SearchCheckpointsParams): Promise<SearchCheckpointsResult>;
  deleteCheckpoint(params: { readonly checkpointId: string; readonly agentId?: string | undefined }): Promise<EraseResult>;
}

/** Store, settings and services of the project checkpoints. */
export interface ProjectCheckpointsOptions {
  readonly workrail: UsedStore;
  readonly settings: Pick<Settings, "savesAMinute" | "isolation" | "readOnly">;
  readonly tokens: TokenCounter;
  readonly digests: Digester;
  /** Project of the store. */
  readonly project: string | undefined;
  /** The only projects that the caller may save to. Default: all. */
  readonly among?: readonly string[] | undefined;
}

/**
 * Checkpoints of projects: a summary of work with optional details, found again by words.
 *
 * Implements contextd's specification on the store of all other tools: each tool finds the checkpoints of all the others.
 */
export class ProjectCheckpoints {
  readonly #options: ProjectCheckpointsOptions;
  /** Absent when saves are not limited. */
  readonly #limiter: SaveLimiter | undefined;

  constructor(options: ProjectCheckpointsOptions) {
    this.#options = options;
    const perMinute = options.settings.savesAMinute;
    this.#limiter = perMinute === 0 ? undefined : new SaveLimiter({ perMinute, burst: 2 * perMinute });
  }

  /**
   * Saves a new checkpoint in the session of its project. Older checkpoints are never pruned, however many there are.
   *
   * @throws INVALID_INPUT with `details.field` and `details.rule`; RATE_LIMITED with `details.retryAfterMs`; errors of saving.
   */
  async create(given: CreateProjectCheckpoint): Promise<CreatedProjectCheckpoint> {
    checkProjectDraft(given);
    const { summary, description, agentId } = given;
    // Copied: the caller may change these objects before the save.
    const context = given.context === undefined ? undefined : { ...given.context };
    const tags = [...(given.tags ?? [])];
    const { among } = this.#options;
    // Checked before the disk is read: the refusal must not reveal whether the directory exists.
    if (among?.includes(parseProjectPath(given.projectPath)) === false) throw projectNotAllowed(among, "projectPath");
    const project = await parseExistingProject(given.projectPath);
    if (given.isRateLimited === true) this.#limiter?.admit(project);
    const { workrail, digests } = this.#options;
    const saved = await workrail.saveCheckpoint({
      kind: "project",
      sessionId: sessionOfProject(project, digests),
      project,
      context: contextOfDraft({ summary, description, context }),
      metadata: { name: summary, tags, attributes: labelsOf(context) },
      agentId,
    });
    const { durability, degraded, degradedReason, quotaWarning, secrets } = saved;
    // Redacted data differs from the given data, so read it back.
    const kept = secrets?.action === "redacted" ? await this.#read(await this.#peek(saved.checkpointId)) : undefined;
    const text = { summary, description: description ?? "", context: context ?? {}, tags: [...new Set(tags)] };
    return {
      id: saved.checkpointId,
      ...text,
      projectPath: project,
      tokenCount: await this.#countTokens(text),
      createdAt: saved.createdAt,
      updatedAt: saved.createdAt,
      ...kept,
      durability,
      ...(degraded === undefined ? {} : { degraded }),
      ...(degradedReason === undefined ? {} : { degradedReason }),
      ...(quotaWarning === undefined ? {} : { quotaWarning }),
      ...(secrets === undefined ? {} : { secrets }),
    };
  }

  /**
   * Finds checkpoints of all tools by words, best first. Without `projectPath`, the setting `isolation` decides which projects are
   * searched. A longer query is cut to 1,000 characters.
   *
   * @throws INVALID_INPUT with `details.field`.
   */
  async search(given: SearchProjectCheckpoints): Promise<FoundProjectCheckpoints> {
    const { query, projectPath, tags = [], topK = PROJECT_PAGES.found, signal, onProgress } = given;
    checkQuery(query);
    checkProjectTags(tags);
    checkCount("topK", topK, { least: 1, most: PROJECT_PAGES.most });
    const { only, first } = this.#scope(projectPath);
    const project = only ?? (first === undefined ? null : undefined);
    const asked = { query: firstCharacters(MOST_QUERY_CHARACTERS, query), project, tags: [...tags], limit: topK, signal, onProgress };
    const { hits, loose, indexPending, ...standing } = await this.#options.workrail.searchCheckpoints(asked);
    const read = await this.#readAll(hits.map(({ checkpoint }) => checkpoint));
    const results = hits.flatMap(({ checkpoint: { id }, head: _head, ...hit }) => {
      const checkpoint = read.get(id);
      return checkpoint === undefined ? [] : [{ checkpoint, ...hit }];
    });
    return {
      results,
      query: asked.query,
      topK,
      ...(loose === undefined ? {} : { loose }),
      ...(indexPending === undefined ? {} : { indexPending }),
      ...standingOf(standing),
    };
  }

  /**
   * Lists checkpoints, newest first. Without `projectPath`, the setting `isolation` decides which projects are listed, and whether the store's
   * own comes first.
   *
   * @throws INVALID_INPUT with `details.field`.
   */
  async list(given: ListProjectCheckpoints = {}): Promise<ListedProjectCheckpoints> {
    const { limit = PROJECT_PAGES.listed, offset = 0, projectPath, sortBy = "createdAt" } = given;
    checkCount("limit", limit, { least: 1, most: PROJECT_PAGES.most });
    checkCount("offset", offset, { least: 0 });
    if (sortBy !== "createdAt" && sortBy !== "updatedAt") throw invalidField("sortBy", "sortBy must be createdAt or updatedAt");
    const page = await this.#find(this.#scope(projectPath), limit, offset);
    const read = await this.#readAll(page.checkpoints);
    const checkpoints = page.checkpoints.flatMap(({ id }) => read.get(id) ?? []);
    return { checkpoints, total: page.total, limit, offset, ...standingOf(page) };
  }

  /** @throws CHECKPOINT_NOT_FOUND; CHECKPOINT_CORRUPT; INVALID_INPUT for an invalid id. */
  async getById(id: string): Promise<ProjectCheckpoint> {
    return this.#read(await this.#options.workrail.loadCheckpoint({ checkpointId: parseCheckpointId(id, "id") }));
  }

  /**
   * Erases a checkpoint and records it in the audit log.
   *
   * @throws CHECKPOINT_NOT_FOUND, also when repeated; INVALID_INPUT for an invalid id.
   */
  async delete(id: string, { agentId }: { readonly agentId?: string | undefined } = {}): Promise<EraseResult> {
    return this.#options.workrail.deleteCheckpoint({ checkpointId: parseCheckpointId(id, "id"), agentId });
  }

  /** Resolves when the store can be read, and tells whether it can be written to. @throws as `list`. */
  async health(): Promise<ProjectHealth> {
    const standing = standingOf(await this.#options.workrail.findCheckpoints({ sessionId: "health", limit: 1 }));
    return this.#options.settings.readOnly ? { ...standing, readOnly: true } : standing;
  }

  #scope(projectPath: string | undefined): Scope {
    const { settings, project: own } = this.#options;
    const project = projectPath === undefined ? undefined : parseProjectPath(projectPath);
    return scopeOf({ isolation: settings.isolation, own }, { project }, "projectPath");
  }

  async #find({ only, first: own }: Scope, limit: number, offset: number): Promise<FindCheckpointsResult> {
    const { workrail } = this.#options;
    const first = await workrail.findCheckpoints({ project: only ?? own ?? null, limit, offset });
    if (own === undefined) return first;
    // Other projects follow. Their total counts even when this page has no room for them.
    const room = limit - first.checkpoints.length;
    const others = { project: null, notProject: own, limit: Math.max(1, room), offset: Math.max(0, offset - first.total) };
    const rest = await workrail.findCheckpoints(others);
    return { ...first, checkpoints: [...first.checkpoints, ...rest.checkpoints.slice(0, room)], total: first.total + rest.total };
  }

  /** Reads checkpoints, without those removed meanwhile. Returns them by id. */
  async #readAll(found: readonly CheckpointMetadata[]): Promise<ReadonlyMap<string, ProjectCheckpoint>> {
    const read = new Map<string, ProjectCheckpoint>();
    for (const metadata of found) {
      const checkpoint = await this.#readListed(metadata);
      if (checkpoint !== undefined) read.set(metadata.id, checkpoint);
    }
    return read;
  }

  async #readListed(metadata: CheckpointMetadata): Promise<ProjectCheckpoint | undefined> {
    if (metadata.damaged === true) return this.#damaged(metadata);
    try {
      return await this.#read(await this.#peek(metadata.id));
    } catch (error) {
      if (!isWorkrailError(error)) throw error;
      if (error.code === "CHECKPOINT_NOT_FOUND") return undefined;
      if (error.code === "CHECKPOINT_CORRUPT") return this.#damaged(metadata);
      throw error;
    }
  }

  #peek(checkpointId: string): Promise<LoadCheckpointResult> {
    return this.#options.workrail.loadCheckpoint({ checkpointId, isPeek: true });
  }

  async #damaged(metadata: CheckpointMetadata): Promise<ProjectCheckpoint> {
    return { ...(await this.#read({ metadata, context: {} })), description: "", damaged: true };
  }

  async #read({ metadata, context }: Pick<LoadCheckpointResult, "metadata" | "context">): Promise<ProjectCheckpoint> {
    const { id, kind, name, tags = [], project, createdAt, sessionId, workflowId, agentId, phase } = metadata;
    const from = { sessionId, workflowId, agentId, phase, ...metadata.attributes };
    const labels = Object.fromEntries(Object.entries(from).filter(([, value]) => value !== undefined)) as JsonObject;
    const { isCut, isContextCut, ...text } = readAsProject({ kind, name, context: context as JsonObject, labels });
    return {
      id,
      ...text,
      projectPath: project ?? "",
      tags,
      tokenCount: await this.#countTokens({ ...text, tags }),
      createdAt,
      updatedAt: createdAt,
      ...(kind === "project" ? {} : { kind }),
      ...(isCut ? { isCut } : {}),
      ...(isContextCut ? { isContextCut } : {}),
    };
  }

  #countTokens(checkpoint: Parameters<typeof textOfProject>[0]): Promise<number> {
    return this.#options.tokens.count(textOfProject(checkpoint));
  }
}

function checkQuery(query: string): void {
  const most = PROJECT_LIMITS.queryLength;
  if (typeof query === "string" && query.trim() !== "" && hasAtMost(most, query)) return;
  throw invalidField("query", `query must be 1-${most} characters`);
}

/** Repeats the context as an attribute, so that the workflow tools list it and search it. */
function labelsOf(context: CreateProjectCheckpoint["context"]): { context?: object } {
  return context === undefined || JSON.stringify(context).length > MOST_LABELS_CHARACTERS ? {} : { context };
}

function standingOf({ durability, degraded, degradedReason }: Standing): Standing {
  return {
    durability,
    ...(degraded === undefined ? {} : { degraded }),
    ...(degradedReason === undefined ? {} : { degradedReason }),
  };
}
