import {
  type CheckpointId,
  type CheckpointRecord,
  type Context,
  droppedSince,
  hasAtMost,
  invalidInput,
  isWorkrailError,
  loadCheckpoint,
  type LoadedCheckpoint,
  parseCheckpointId,
  parseSessionId,
  readContext,
  type SessionId,
  type StateChanges,
  stateChanges,
  findSession,
} from "@workrail/core";
import { goalOf } from "@workrail/views/handoff-part";
import { type Candidate, type Handoff, LEAST_SUMMARY_TOKENS, writeHandoff } from "@workrail/views";
import { optional } from "../check-params.ts";
import { AROUND, HOW, fetchHint, tokensBeyond } from "../answer-budget.ts";
import type { BriefViewResult } from "../context-management-service.ts";
import { GitReader } from "../git/read-git-state.ts";
import { findProject } from "../project.ts";
import type { RulesFound } from "../project-rules.ts";
import { metadataOf } from "../metadata.ts";
import { giveHandle } from "../give-handle.ts";
import { resolveReference } from "../resolve-reference.ts";
import type { Store } from "../store.ts";
import { viewCheckpoint } from "../view-checkpoint.ts";
import { MOST_CHANGES, droppedFields, sinceFields } from "../change-fields.ts";
import { type CandidatePorts, findCandidates, type Found } from "./find-candidates.ts";
import { type Drift, findDriftHere, savedRepositoryOf } from "./find-drift.ts";
import { fitDrift } from "./fit-drift.ts";
import {
  type HandoffParams,
  type HandoffResult,
  RESUME_DEPTHS,
  type ResumeCandidate,
  type ResumeCandidates,
  type ResumeDepth,
  type ResumedWork,
  type ResumeParams,
  type ResumeResult,
  type SavedRepositoryParams,
  type SavedRepositoryResult,
  type ChangeFields,
} from "./resume-params.ts";

interface Ids {
  readonly checkpointId: CheckpointId | undefined;
  readonly sessionId: SessionId | undefined;
}

/** Used when the place must not influence the ranking. */
const NOWHERE = { project: undefined, git: undefined };

const SUMMARY_TOKENS = 800;
/** Budget of the summary that comes with the only plausible candidate. */
const CANDIDATE_SUMMARY_TOKENS = 500;
const VIEW_TOKENS = 4_000;
const HANDOFF_TOKENS = 2_000;
/** Factor by which each further try is shorter at least. */
const SHORTER = 9 / 10;
const MOST_CHARACTERS_OF_A_TOKEN = 8;
/** Share of a budget for changes in the repository. */
const DRIFT_SHARE = 1 / 5;
/** Share of a budget for the names of changed entries. */
const CHANGES_SHARE = 1 / 4;
const DEFAULT_LIMIT = 5;
const MOST_CANDIDATES = 20;
/** Most hits of a search for candidates. */
const MOST_HITS = 20;
/** Contexts above this size are not read for their goal, which would take too long. */
const MOST_BYTES = 1024 * 1024;
/** Two sessions saved within this time are equally likely. */
const CLOSE_MS = 60 * 60 * 1_000;
const LONGEST_NAME = 120;
const LONGEST_HINT = 1_000;
const LONGEST_FOCUS = 2_000;

/** Resumes saved work: loads an exact id, and for everything else lists candidates with reasons. */
export class Resumer {
  readonly #store: Store;

  constructor(store: Store) {
    this.#store = store;
  }

  /** @throws INVALID_INPUT; errors of loading an existing checkpoint. */
  async resume(params: ResumeParams): Promise<ResumeResult> {
    check(params);
    const { checkpointId: reference, sessionId: given } = params;
    const sessionId = given === undefined ? undefined : parseSessionId(given);
    const { project, git } = this.#place(params.cwd);
    const { since } = params;
    const isAlone = reference === undefined && sessionId === undefined;
    if (isAlone && since === undefined) return this.#suggest(params, { project, git }, "");
    // Resolved before the named id, outside of the `try`: an unknown `since` with a named id is an error and returns no candidates.
    const known = isAlone || since === undefined ? undefined : await this.#known(since, params);
    try {
      if (isAlone && since !== undefined) {
        const latest = await this.#known(since, params);
        return await this.#load(params, { checkpointId: undefined, sessionId: latest.record.sessionId }, { git, known: latest });
      }
      const checkpointId = reference === undefined ? undefined : (await resolveReference(this.#store, reference)).id;
      return await this.#load(params, { checkpointId, sessionId }, { git, known });
    } catch (error) {
      const isUnknown = isWorkrailError(error) && (error.code === "SESSION_NOT_FOUND" || error.code === "CHECKPOINT_NOT_FOUND");
      if (!isUnknown) throw error;
      return this.#suggest(params, { project, git }, `${error.message} `);
    }
  }

  /** Returns the repository of the checkpoint that the same ids resume. @throws as `resume`, for unknown ids too. */
  async savedRepository({ checkpointId, sessionId, since }: SavedRepositoryParams): Promise<SavedRepositoryResult | undefined> {
    const reference = checkpointId ?? (sessionId === undefined ? since : undefined);
    const named = reference === undefined ? undefined : await resolveReference(this.#store, reference);
    const ids: Ids =
      checkpointId === undefined
        ? { checkpointId: undefined, sessionId: named?.sessionId ?? optional(sessionId, (id) => parseSessionId(id)) }
        : { checkpointId: named?.id, sessionId: undefined };
    const { record, context } = await loadCheckpoint(this.#store.portsOf({ isPeek: true }), ids);
    const saved = savedRepositoryOf(record, context);
    return saved === undefined ? undefined : { checkpointId: record.id, ...saved };
  }

  /** @throws INVALID_INPUT; errors of loading. */
  async handoff({ checkpointId, sessionId, budgetTokens = HANDOFF_TOKENS, focus, isPeek }: HandoffParams): Promise<HandoffResult> {
    const loaded = await loadCheckpoint(this.#store.portsOf({ isPeek }), {
      checkpointId: checkpointId === undefined ? undefined : parseCheckpointId(checkpointId),
      sessionId: sessionId === undefined ? undefined : parseSessionId(sessionId),
    });
    const { warning, ...document } = await this.#write(loaded, { budgetTokens, focus, form: "document" });
    const { id } = loaded.record;
    const foreign = await this.#store.otherProject(loaded.record);
    return {
      checkpointId: id,
      sessionId: loaded.record.sessionId,
      ...document,
      ...fellBack(loaded.fellBackFrom),
      ...(await giveHandle(this.#store, id, { isPeek })),
      ...(warning === undefined ? {} : { contextRulesWarning: warning }),
      ...(foreign === undefined ? {} : { warning: foreign }),
      ...this.#store.standing(id),
    };
  }

  #place(cwd: string | undefined): Pick<Store, "project" | "git"> {
    if (cwd === undefined || this.#store.isElsewhere) return this.#store;
    const project = findProject(cwd);
    return { project, git: new GitReader(project) };
  }

  async #load(
    { depth = "view", budgetTokens, focus, isPeek }: ResumeParams,
    ids: Ids,
    { git, known }: { readonly git: Store["git"]; readonly known: LoadedCheckpoint | undefined },
  ): Promise<ResumedWork> {
    const { maxAnswerTokens } = this.#store.parts.settings;
    const budget = Math.min(budgetTokens ?? budgetOf(depth, maxAnswerTokens), maxAnswerTokens);
    const beside = async ({ record, context }: LoadedCheckpoint): Promise<Pick<ResumedWork, "drift">> => {
      const drift = await this.#drift(record, context, git);
      return drift === undefined ? {} : { drift: await fitDrift(drift, Math.floor(budget * DRIFT_SHARE), this.#store.parts.tokens) };
    };
    if (depth === "summary")
      return this.#summarise(await loadCheckpoint(this.#store.portsOf({ isPeek }), ids), { budget, focus, isPeek, beside });
    const told = { status: "LOADED" as const, depth };
    // Computed once, when the entries are chosen, and reported in the answer.
    let changes: StateChanges | undefined;
    const among =
      known === undefined
        ? undefined
        : (context: Context): ReadonlySet<string> => {
            changes = stateChanges(known.context, context);
            return new Set([...changes.added, ...changes.changed.keys()]);
          };
    const { metadata, ...view } = await viewCheckpoint(
      this.#store,
      { ...ids, budgetTokens: budget, focus, isPeek, among },
      {
        isBrief: true,
        besideOf: async (loaded) => ({
          ...told,
          ...(known === undefined || changes === undefined ? {} : { changes: await this.#fitChanges(known.record.id, changes, budget) }),
          ...(await beside(loaded)),
        }),
      },
    );
    // The drift already has the git state of the save.
    const { gitState: _said, ...brief } = metadata;
    return {
      ...told,
      ...(known === undefined ? view : withoutCursors(view)),
      ...(Object.keys(brief).length === 0 ? {} : { metadata: brief }),
    };
  }

  async #known(since: string, how: ResumeParams): Promise<LoadedCheckpoint> {
    const { id } = await resolveReference(this.#store, since);
    return loadCheckpoint(this.#store.portsOf(how), { checkpointId: id, sessionId: undefined });
  }

  /** Reports as many names as fit into a share of the budget, and all counts. */
  async #fitChanges(since: CheckpointId, changes: StateChanges, budget: number): Promise<ChangeFields> {
    const { tokens } = this.#store.parts;
    for (let most = MOST_CHANGES; ; most = Math.floor(most / 2)) {
      const told = sinceFields(since, changes, most);
      if (most === 0 || (await tokensBeyond(Math.floor(budget * CHANGES_SHARE), JSON.stringify(told), tokens)) === 0) return told;
    }
  }

  async #summarise(
    loaded: LoadedCheckpoint,
    wish: {
      budget: number;
      focus: string | undefined;
      isPeek: boolean | undefined;
      beside: (loaded: LoadedCheckpoint) => Promise<Pick<ResumedWork, "drift">>;
    },
  ): Promise<ResumedWork> {
    const { record, fellBackFrom } = loaded;
    const { maxAnswerTokens } = this.#store.parts.settings;
    const { id, agentId, createdAt } = record;
    const foreign = await this.#store.otherProject(record);
    const about = {
      status: "LOADED" as const,
      depth: "summary" as const,
      checkpointId: id,
      sessionId: record.sessionId,
      ...this.#store.standing(id),
      origin: { savedAt: createdAt.toISOString(), ...(agentId === undefined ? {} : { agentId: clip(agentId) }) },
      ...droppedFields(await droppedSince(this.#store.loadPorts, loaded)),
      ...fellBack(fellBackFrom),
      ...(foreign === undefined ? {} : { warning: foreign }),
      ...(await wish.beside(loaded)),
    };
    const most = Math.min(wish.budget, maxAnswerTokens);
    const handle = { how: HOW, ...(await giveHandle(this.#store, id, wish)) };
    const around = await this.#excess(JSON.stringify({ ...about, ...handle }), 0);
    for (let budget = Math.max(LEAST_SUMMARY_TOKENS, most - around); ;) {
      const { markdown, shortened, leftOut, warning } = await this.#write(loaded, {
        budgetTokens: budget,
        focus: wish.focus,
        form: "summary",
      });
      const isWhole = shortened === 0 && leftOut === 0;
      const answer = {
        ...about,
        summary: markdown,
        ...(isWhole ? {} : handle),
        ...(warning === undefined ? {} : { contextRulesWarning: warning }),
      };
      const excess = await this.#excess(JSON.stringify(answer), most);
      if (excess === 0) return answer;
      // The document cannot be shorter.
      if (budget === LEAST_SUMMARY_TOKENS) return { ...answer, budgetExceededBy: excess };
      budget = Math.max(LEAST_SUMMARY_TOKENS, Math.min(Math.floor(budget * SHORTER), budget - excess));
    }
  }

  /** Returns a lower bound of the tokens by which an answer is too long. */
  async #excess(text: string, most: number): Promise<number> {
    const { settings, tokens } = this.#store.parts;
    const characters = text.length + AROUND.characters - settings.maxAnswerCharacters;
    return Math.max(await tokensBeyond(most - AROUND.tokens, text, tokens), Math.ceil(characters / MOST_CHARACTERS_OF_A_TOKEN), 0);
  }

  /** Writes a complete document for a reader who has nothing else, or a summary for an answer that names its origin. */
  async #write(
    { record, context, session, fellBackFrom }: Pick<LoadedCheckpoint, "record" | "context" | "session" | "fellBackFrom">,
    {
      budgetTokens,
      focus,
      form,
    }: { readonly budgetTokens: number; readonly focus?: string | undefined; readonly form: "document" | "summary" },
  ): Promise<Handoff & Pick<RulesFound, "warning">> {
    const { rules, warning } = await this.#store.rules.inFile();
    // The reader may have nothing installed.
    const print = `\`npx -y @workrail/mcp-server show ${record.id}\`, or \`workrail show ${record.id}\` if it is installed`;
    const howToFetch = form === "summary" ? undefined : `${fetchHint(record.id)}\n\nOr print the whole context: ${print}.`;
    const about = howToFetch === undefined ? undefined : { record, newerUnreadable: fellBackFrom.length, howToFetch };
    const work = { context, pins: session?.pins ?? [], rules };
    return { ...(await writeHandoff(this.#store.parts, { ...work, focus, budgetTokens, about })), warning };
  }

  async #summaryOf(record: CheckpointRecord, context: Context): Promise<string> {
    const session = await findSession(this.#store.loadPorts.catalog, record.sessionId);
    const loaded = { record, context, session, fellBackFrom: [] };
    return (await this.#write(loaded, { budgetTokens: CANDIDATE_SUMMARY_TOKENS, form: "summary" })).markdown;
  }

  /** A caller elsewhere compares its repository itself. */
  async #drift(record: CheckpointRecord, context: Context, git: Store["git"]): Promise<Drift | undefined> {
    const { isElsewhere, drift } = this.#store;
    if (isElsewhere) return drift?.checkpointId === record.id ? drift.drift : undefined;
    const saved = savedRepositoryOf(record, context);
    return saved === undefined ? undefined : findDriftHere(saved, await git.read());
  }

  async #suggest(
    { hint, limit = DEFAULT_LIMIT }: ResumeParams,
    { project, git }: Pick<Store, "project" | "git">,
    unknown: string,
  ): Promise<ResumeCandidates> {
    const { catalog, locking, clock, settings } = this.#store.parts;
    const place = settings.isolation === "off" ? NOWHERE : { project, git: await git.read() };
    const here = { ...place, now: clock.now() };
    const search: CandidatePorts["search"] = (words, only) => this.#search(words, only);
    const { isElsewhere } = this.#store;
    const ranked = await findCandidates({ catalog, locking, search, isElsewhere }, here, {
      hint,
      isIsolated: settings.isolation === "strict",
    });
    const only = onlyPlausible(ranked);
    const candidates = await Promise.all(ranked.slice(0, limit).map((each) => this.#tell(each, each === only)));
    const note = `${unknown}${noteOn(ranked, project)}`;
    return { status: "CANDIDATES", note, candidates, total: ranked.length, ...this.#store.standing() };
  }

  /** Searches for a hint. Scores are relative to the best hit, and halved for loose hits, which match badly. */
  async #search(hint: string, only: string | undefined): Promise<readonly Found[]> {
    const { hits, loose } = await this.#store.search.search({ query: hint, limit: MOST_HITS }, { only });
    const most = Math.max(...hits.map(({ score }) => score)) * (loose === true ? 2 : 1);
    return hits.map(({ checkpoint, head, score }) => ({ checkpoint, head: head as CheckpointId, score: most > 0 ? score / most : 0 }));
  }

  async #tell({ record, reason, isStale }: Candidate, withSummary: boolean): Promise<ResumeCandidate> {
    const { id: checkpointId, sessionId, createdAt, name, agentId, kind } = record;
    const { goal, summary, fault } = await this.#lookInto(record, withSummary);
    const { sessionName } = metadataOf(record);
    const called = name ?? (goal === undefined ? sessionName : undefined);
    return {
      checkpointId,
      sessionId,
      reason: fault === undefined ? reason : `${reason}; ${fault}`,
      savedAt: createdAt.toISOString(),
      ...(called === undefined ? {} : { name: clip(called) }),
      ...(goal === undefined ? {} : { goal }),
      ...(summary === undefined ? {} : { summary }),
      ...(agentId === undefined ? {} : { agentId: clip(agentId) }),
      ...(kind === "workflow" ? {} : { kind }),
      ...(isStale ? { stale: true as const } : {}),
    };
  }

  /** Reads goal and faults of a candidate. Does not count as a load, and the session does not become the one in use. */
  async #lookInto(record: CheckpointRecord, withSummary: boolean): Promise<Insight> {
    const load = this.#store.loadPorts;
    try {
      const damaged = (await findSession(load.catalog, record.sessionId))?.damagedCount ?? 0;
      const fault = damaged === 0 ? undefined : `${damaged} of its checkpoints cannot be read`;
      if (record.contextBytes > MOST_BYTES) return { fault };
      const { context } = await load.locking.shared(() => readContext(load, record));
      return { goal: goalOf(context), fault, ...(withSummary ? { summary: await this.#summaryOf(record, context) } : {}) };
    } catch (error) {
      if (isWorkrailError(error) && error.code === "CHECKPOINT_CORRUPT") return { fault: "it cannot be read: load its session instead" };
      load.log.warn("a candidate could not be read", { checkpointId: record.id, error });
      return {};
    }
  }
}

/** Data about a checkpoint, read without loading it. */
interface Insight {
  readonly goal?: string | undefined;
  readonly summary?: string | undefined;
  readonly fault?: string | undefined;
}

/** Returns the first candidate, unless another one fits the place as well. */
function onlyPlausible([first, ...others]: readonly Candidate[]): Candidate | undefined {
  if (first === undefined || first.isStale) return undefined;
  const isRival = ({ relation, isHinted, isStale }: Candidate): boolean =>
    !isStale && relation === first.relation && isHinted === first.isHinted;
  return others.some(isRival) ? undefined : first;
}

function budgetOf(depth: ResumeDepth, most: number): number {
  return depth === "summary" ? SUMMARY_TOKENS : depth === "view" ? VIEW_TOKENS : most;
}

/** Reports the newest only, and their number. */
function fellBack(from: LoadedCheckpoint["fellBackFrom"]): Pick<ResumedWork, "fellBackFrom" | "fellBackFromCount"> {
  return from.length === 0 ? {} : { fellBackFrom: from.slice(0, 1), fellBackFromCount: from.length };
}

function noteOn(ranked: readonly Candidate[], project: string | undefined): string {
  const [first, second] = ranked;
  if (first === undefined) return "Nothing is saved here to resume.";
  const isClose =
    second !== undefined &&
    first.relation === second.relation &&
    first.isHinted === second.isHinted &&
    Math.abs(first.record.createdAt.getTime() - second.record.createdAt.getTime()) < CLOSE_MS;
  return [
    ...(project === undefined ? ["You are in no project, so none of them is preferred."] : []),
    "Nothing is loaded yet: call again with the right checkpointId.",
    isClose ? "The first two are equally likely: ask your user." : "If unsure, ask your user.",
  ].join(" ");
}

function clip(text: string): string {
  return text.length <= LONGEST_NAME ? text : `${text.slice(0, LONGEST_NAME - 3).toWellFormed()}...`;
}

/** Removes the cursors, which would count changed entries only and could not be followed. */
function withoutCursors<T extends Pick<BriefViewResult, "shortened" | "omitted">>(view: T): T {
  const { shortened, omitted } = view;
  return {
    ...view,
    ...(shortened === undefined ? {} : { shortened: { ...shortened, nextCursor: undefined } }),
    ...(omitted === undefined ? {} : { omitted: { ...omitted, nextCursor: undefined } }),
  };
}

/** @throws INVALID_INPUT for invalid parameters. */
function check({ checkpointId, sessionId, hint, depth, budgetTokens, focus, limit, since }: ResumeParams): void {
  if (since !== undefined && since.trim() === "") {
    throw invalidInput("since", "since is empty.", "Give the id of a known checkpoint, or leave it out.");
  }
  if (since !== undefined && depth === "summary") {
    throw invalidInput("since", "since returns changed entries, but a summary covers all entries.", "Leave depth out, or since.");
  }
  if (checkpointId !== undefined && sessionId !== undefined) {
    throw invalidInput("checkpointId", "Give checkpointId or sessionId, not both.", "A checkpointId alone identifies its session.");
  }
  if (hint !== undefined && (hint.trim() === "" || !hasAtMost(LONGEST_HINT, hint))) {
    throw invalidInput("hint", `hint must be 1 to ${LONGEST_HINT} characters.`, "A few words about the work are enough, or leave it out.");
  }
  if (depth !== undefined && !RESUME_DEPTHS.includes(depth)) {
    throw invalidInput("depth", `depth must be one of ${RESUME_DEPTHS.join(", ")}.`, "Leave it out for a view.");
  }
  if (budgetTokens !== undefined && (!Number.isSafeInteger(budgetTokens) || budgetTokens < 1)) {
    throw invalidInput("budgetTokens", "budgetTokens must be a whole number from 1.", "Leave it out for the default of the depth.");
  }
  if (focus !== undefined && !hasAtMost(LONGEST_FOCUS, focus)) {
    throw invalidInput("focus", `focus must be at most ${LONGEST_FOCUS} characters.`, "A few words about the next task are enough.");
  }
  if (limit !== undefined && (!Number.isSafeInteger(limit) || limit < 1 || limit > MOST_CANDIDATES)) {
    throw invalidInput(
      "limit",
      `limit must be a whole number from 1 to ${MOST_CANDIDATES}.`,
      "Give a hint instead of reading many candidates.",
    );
  }
}
