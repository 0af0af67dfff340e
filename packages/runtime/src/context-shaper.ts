import { parseContextRules } from "@workrail/classifier/rules";
import {
  type CheckpointRecord,
  type Context,
  type ErrorCode,
  isWorkrailError,
  loadCheckpoint,
  parseCheckpointId,
  parseSessionId,
  readOnly,
  saveAside,
  type SavedAside,
  type SecretsReport,
  type SessionId,
  uuidOf,
  WorkrailError,
  findSession,
} from "@workrail/core";
import {
  compressContext,
  LONGEST_ADVANCED_REPORT,
  prioritizeContext,
  type ShapedContext,
  type ShapeInput,
  type ViewBudget,
} from "@workrail/views";
import { projectOfSession } from "./admitted.ts";
import { answerBudget, HOW } from "./answer-budget.ts";
import type {
  CompressContextParams,
  PrioritizeContextParams,
  ShapeContextParams,
  ShapedContextResult,
} from "./context-management-service.ts";
import { giveHandle } from "./give-handle.ts";
import type { RulesFound } from "./project-rules.ts";
import { secretsFields } from "./secrets/secrets-fields.ts";
import type { Store } from "./store.ts";

/** Session of asides that belong to no session. */
const ASIDES = parseSessionId("asides");

/** Returns that session. A caller with a right to some projects has one that others do not use. */
function asidesOf({ caller, parts: { digests } }: Store): SessionId {
  return caller === undefined ? ASIDES : parseSessionId(uuidOf(digests.sha256(`asides\n${caller.projects[0]}`)));
}

/** Failures to keep a context that do not affect the rest of the answer. */
const NOT_KEPT = new Set<ErrorCode>(["STORAGE_QUOTA_EXCEEDED", "SECRET_FOUND"]);
/**
 * Tokens. From here on a budget bounds the whole answer, CRITICAL entries included. A smaller one bounds the context alone, because the
 * data about the original would take a third of it.
 */
const WHOLE_ANSWER_FROM = 1_000;
const MOST_DIGITS = 9_999_999;
const MOST_OF_ANYTHING = 999_999_999;

/** A context to shape, and the location of its original. */
interface Source {
  readonly context: Context;
  readonly pins: readonly string[];
  readonly record: CheckpointRecord | undefined;
  /** Why the record is missing, when there should be one. */
  readonly notKept?: string;
  /** Likely secrets found when the context was kept. */
  readonly secrets?: SecretsReport;
  readonly isGiven: boolean;
  readonly rules: RulesFound;
}

type Shape = (input: ShapeInput) => Promise<ShapedContext>;

/** Fits saved and given contexts into a budget, and keeps the originals retrievable. */
export class ContextShaper {
  readonly #store: Store;

  constructor(store: Store) {
    this.#store = store;
  }

  async compress(params: CompressContextParams): Promise<ShapedContextResult> {
    const { strategy, layers } = params;
    const { classifier, tokens, condensing } = this.#store.parts;
    return this.#shape(params, await this.#sourceOf(params, true), (input) =>
      compressContext({ classifier, tokens, advanced: condensing.advanced }, { ...input, strategy, layers }),
    );
  }

  async prioritize(params: PrioritizeContextParams): Promise<ShapedContextResult> {
    const { budgets: caps, dryRun } = params;
    return this.#shape(params, await this.#sourceOf(params, dryRun !== true), (input) =>
      prioritizeContext(this.#store.parts, { ...input, caps, dryRun }),
    );
  }

  async #sourceOf(params: ShapeContextParams, isKept: boolean): Promise<Source> {
    checkParams(params);
    const given = params.contextRules === undefined ? undefined : parseContextRules(params.contextRules);
    const rules = await this.#store.rules.for(given);
    const { catalog, locking, sessions } = this.#store.parts;
    if (params.context === undefined) {
      const checkpointId = params.checkpointId === undefined ? undefined : parseCheckpointId(params.checkpointId);
      const sessionId = params.sessionId === undefined ? undefined : parseSessionId(params.sessionId);
      const { context, record, session } = await loadCheckpoint(this.#store.portsOf(params), { checkpointId, sessionId });
      return { context, record, pins: session?.pins ?? [], isGiven: false, rules };
    }
    const sessionId = sessions.forAside(params.sessionId) ?? asidesOf(this.#store);
    const context = params.context as Context;
    const kept = isKept ? await this.#keep(sessionId, context, params.agentId) : { record: undefined };
    const session = await locking.shared(() => findSession(catalog, sessionId));
    return { context, ...kept, pins: session?.pins ?? [], isGiven: true, rules };
  }

  /** Keeps the original. A shortened context is useful without its original, if the answer says that the original is lost. */
  async #keep(
    sessionId: SessionId,
    context: Context,
    agentId: string | undefined,
  ): Promise<Pick<Source, "record" | "notKept" | "secrets">> {
    try {
      const { savePorts, caller, isReadOnly } = this.#store;
      if (isReadOnly) throw readOnly();
      const isNamed = caller !== undefined && sessionId !== asidesOf(this.#store);
      const project = isNamed ? await projectOfSession(this.#store, sessionId) : this.#store.project;
      const save = (): Promise<SavedAside> => saveAside(savePorts, { sessionId, context, agentId, project });
      const { record, secrets } = await this.#store.withRoom(save);
      return { record, ...(secrets === undefined ? {} : { secrets }) };
    } catch (error) {
      if (!isWorkrailError(error) || !NOT_KEPT.has(error.code)) throw error;
      return { record: undefined, notKept: `${error.message} ${error.hint ?? ""}`.trim() };
    }
  }

  async #shape(params: ShapeContextParams, source: Source, shape: Shape): Promise<ShapedContextResult> {
    const { rules, warning } = source.rules;
    const around = { ...(await this.#around(source, params)), ...(warning === undefined ? {} : { contextRulesWarning: warning }) };
    const { context, pins } = source;
    const budget = params.full === true ? unbounded(params.budgetTokens) : await this.#budget(around, params.budgetTokens, context);
    const cursor = params.cursor === undefined ? undefined : Number(params.cursor);
    const shaped = await shape({ context, pins, rules, focus: params.focus, budget, cursor });
    const report = shaped.report ?? { kept: Object.keys(context).length, reduced: 0, condensed: 0, dropped: 0, entries: [] };
    return { ...shaped, report, ...around };
  }

  /** Builds the parts of an answer beside context and report. */
  async #around(
    { record, isGiven, notKept, secrets }: Source,
    how: ShapeContextParams,
  ): Promise<Omit<ShapedContextResult, "context" | "tokensBefore" | "tokensAfter" | "report">> {
    if (record === undefined) return { ...(notKept === undefined ? {} : { notKept }), ...this.#store.standing() };
    const { id, sessionId, createdAt, agentId } = record;
    const origin = { savedAt: createdAt.toISOString(), ...(agentId === undefined ? {} : { agentId }) };
    const handle = { checkpointId: id, sessionId, ...(await giveHandle(this.#store, id, how)), how: HOW };
    return {
      ...handle,
      ...(secrets === undefined ? {} : { secrets: secretsFields(secrets) }),
      ...(isGiven ? {} : { origin }),
      ...this.#store.standing(id),
    };
  }

  async #budget(around: object, budgetTokens: number | undefined, context: Context): Promise<ViewBudget> {
    const { settings, tokens, condensing } = this.#store.parts;
    const advanced = condensing.advanced === undefined ? {} : { advanced: LONGEST_ADVANCED_REPORT };
    const frame = { ...around, ...advanced, tokensBefore: MOST_DIGITS, tokensAfter: MOST_DIGITS };
    const contentBytes = JSON.stringify(context).length * 3;
    if (budgetTokens !== undefined && budgetTokens >= WHOLE_ANSWER_FROM) {
      const { wanted } = await answerBudget({ frame, contentBytes, budgetTokens }, settings, tokens);
      return { wanted, ceiling: wanted };
    }
    const { ceiling } = await answerBudget({ frame, contentBytes }, settings, tokens);
    return { wanted: { ...ceiling, tokens: Math.min(budgetTokens ?? ceiling.tokens, ceiling.tokens) }, ceiling, of: "context" };
  }
}

/** Budget for programs, which accept results of any size. */
function unbounded(budgetTokens: number | undefined): ViewBudget {
  const ceiling = { tokens: MOST_OF_ANYTHING, characters: MOST_OF_ANYTHING };
  return { wanted: { ...ceiling, tokens: budgetTokens ?? ceiling.tokens }, ceiling, of: "context" };
}

function checkParams({ context, checkpointId, sessionId, cursor }: ShapeContextParams): void {
  const isClear = context === undefined ? (checkpointId === undefined) !== (sessionId === undefined) : checkpointId === undefined;
  if (!isClear) {
    throw new WorkrailError(
      "INVALID_INPUT",
      "Give one of context, checkpointId and sessionId; only sessionId may be combined with context.",
      {
        details: { field: "context" },
        hint: "Use context for a context of your own, checkpointId for a saved one, sessionId for the latest one of a session.",
      },
    );
  }
  if (cursor !== undefined && !/^\d{1,15}$/.test(cursor)) {
    throw new WorkrailError("INVALID_INPUT", "cursor must be the nextCursor of an earlier answer.", {
      details: { field: "cursor" },
      hint: "Leave cursor out to begin with the first names.",
    });
  }
}
