import {
  type CheckpointId,
  type CheckpointRecord,
  compressContext,
  type Context,
  type ContextRules,
  type ErrorCode,
  isWorkrailError,
  LONGEST_ADVANCED_REPORT,
  type LoadInput,
  parseCheckpointId,
  parseContextRules,
  parseSessionId,
  prioritizeContext,
  type SavedAside,
  type SecretsReport,
  type Session,
  type SessionId,
  type ShapedContext,
  type ShapeInput,
  type ViewBudget,
  WorkrailError,
} from "@workrail/core";
import { answerBudget, HOW } from "./answer-budget.ts";
import type {
  CompressContextParams,
  PrioritizeContextParams,
  ShapeContextParams,
  ShapedContextResult,
  Standing,
} from "./context-management-service.ts";
import type { RulesFound } from "./project-rules.ts";
import { toldSecrets } from "./secrets/told-secrets.ts";
import type { Parts } from "./tokens.ts";

/** What an answer says of the promise that a checkpoint can be loaded: nothing where none can be given. */
export interface ToldHandle {
  /** ISO 8601. */
  readonly validUntil?: string;
}

export interface ShaperPorts {
  readonly parts: Pick<Parts, "settings" | "tokens" | "condensing" | "sessions" | "catalog" | "locking">;
  load(input: LoadInput): Promise<{ readonly record: CheckpointRecord; readonly context: Context; readonly session: Session | undefined }>;
  /**
   * The checkpoint that holds a context exactly, for as long as a handle does; saved, if there is none.
   *
   * @throws STORAGE_QUOTA_EXCEEDED where there is no room for it; SECRET_FOUND where secrets may not be saved.
   */
  keep(sessionId: SessionId, context: Context, agentId: string | undefined): Promise<Pick<SavedAside, "record" | "secrets">>;
  issueHandle(id: CheckpointId): Promise<ToldHandle>;
  standing(id?: CheckpointId): Standing;
  /** Those that are given, else those of the project. */
  rules(given: ContextRules | undefined): Promise<RulesFound>;
}

/** Where asides are kept that belong to no session. */
const ASIDES = parseSessionId("asides");
/** Failures to keep a context that leave the rest of the answer as it is. */
const NOT_KEPT = new Set<ErrorCode>(["STORAGE_QUOTA_EXCEEDED", "SECRET_FOUND"]);
/**
 * Tokens. From so many on a budget holds for the whole answer, and for CRITICAL entries too; a smaller one holds for the context alone,
 * because what is said of the original would take a third of it.
 */
const WHOLE_ANSWER_FROM = 1_000;
const MOST_DIGITS = 9_999_999;
const MOST_OF_ANYTHING = 999_999_999;

/** What is to be shaped, and where its original is. */
interface Source {
  readonly context: Context;
  readonly pins: readonly string[];
  readonly record: CheckpointRecord | undefined;
  /** Why there is no record although there should be. */
  readonly notKept?: string;
  /** What looked like a secret in it when it was kept. */
  readonly secrets?: SecretsReport;
  readonly isGiven: boolean;
  readonly rules: RulesFound;
}

type Shape = (input: ShapeInput) => Promise<ShapedContext>;

/** Makes contexts fit, saved ones and others, and sees to it that what is lost in that can be had back. */
export class ContextShaper {
  readonly #ports: ShaperPorts;

  constructor(ports: ShaperPorts) {
    this.#ports = ports;
  }

  async compress(params: CompressContextParams): Promise<ShapedContextResult> {
    const { strategy, layers } = params;
    const { tokens, condensing } = this.#ports.parts;
    return this.#shape(params, await this.#sourceOf(params, true), (input) =>
      compressContext({ tokens, advanced: condensing.advanced }, { ...input, strategy, layers }),
    );
  }

  async prioritize(params: PrioritizeContextParams): Promise<ShapedContextResult> {
    const { budgets: caps, dryRun } = params;
    return this.#shape(params, await this.#sourceOf(params, dryRun !== true), (input) =>
      prioritizeContext(this.#ports.parts, { ...input, caps, dryRun }),
    );
  }

  async #sourceOf(params: ShapeContextParams, isKept: boolean): Promise<Source> {
    checkParams(params);
    const given = params.contextRules === undefined ? undefined : parseContextRules(params.contextRules);
    const rules = await this.#ports.rules(given);
    const { catalog, locking, sessions } = this.#ports.parts;
    if (params.context === undefined) {
      const checkpointId = params.checkpointId === undefined ? undefined : parseCheckpointId(params.checkpointId);
      const sessionId = params.sessionId === undefined ? undefined : parseSessionId(params.sessionId);
      const { context, record, session } = await this.#ports.load({ checkpointId, sessionId });
      return { context, record, pins: session?.pins ?? [], isGiven: false, rules };
    }
    const sessionId = sessions.forAside(params.sessionId) ?? ASIDES;
    const context = params.context as Context;
    const kept = isKept ? await this.#keep(sessionId, context, params.agentId) : { record: undefined };
    const session = await locking.shared(() => catalog.session(sessionId));
    return { context, ...kept, pins: session?.pins ?? [], isGiven: true, rules };
  }

  /** A shortened context is of use without its original too, if the answer says that it cannot be had back. */
  async #keep(
    sessionId: SessionId,
    context: Context,
    agentId: string | undefined,
  ): Promise<Pick<Source, "record" | "notKept" | "secrets">> {
    try {
      const { record, secrets } = await this.#ports.keep(sessionId, context, agentId);
      return { record, ...(secrets === undefined ? {} : { secrets }) };
    } catch (error) {
      if (!isWorkrailError(error) || !NOT_KEPT.has(error.code)) throw error;
      return { record: undefined, notKept: `${error.message} ${error.hint ?? ""}`.trim() };
    }
  }

  async #shape(params: ShapeContextParams, source: Source, shape: Shape): Promise<ShapedContextResult> {
    const { rules, warning } = source.rules;
    const around = { ...(await this.#around(source)), ...(warning === undefined ? {} : { contextRulesWarning: warning }) };
    const { context, pins } = source;
    const budget = params.full === true ? unbounded(params.budgetTokens) : await this.#budget(around, params.budgetTokens, context);
    const cursor = params.cursor === undefined ? undefined : Number(params.cursor);
    const shaped = await shape({ context, pins, rules, focus: params.focus, budget, cursor });
    const report = shaped.report ?? { kept: Object.keys(context).length, reduced: 0, condensed: 0, dropped: 0, entries: [] };
    return { ...shaped, report, ...around };
  }

  /** What an answer says beside the context and the report. */
  async #around({
    record,
    isGiven,
    notKept,
    secrets,
  }: Source): Promise<Omit<ShapedContextResult, "context" | "tokensBefore" | "tokensAfter" | "report">> {
    if (record === undefined) return { ...(notKept === undefined ? {} : { notKept }), ...this.#ports.standing() };
    const { id, sessionId, createdAt, agentId } = record;
    const origin = { savedAt: createdAt.toISOString(), ...(agentId === undefined ? {} : { agentId }) };
    const handle = { checkpointId: id, sessionId, ...(await this.#ports.issueHandle(id)), how: HOW };
    return { ...handle, ...toldSecrets(secrets), ...(isGiven ? {} : { origin }), ...this.#ports.standing(id) };
  }

  async #budget(around: object, budgetTokens: number | undefined, context: Context): Promise<ViewBudget> {
    const { settings, tokens, condensing } = this.#ports.parts;
    const advanced = condensing.advanced === undefined ? {} : { advanced: LONGEST_ADVANCED_REPORT };
    const frame = { ...around, ...advanced, tokensBefore: MOST_DIGITS, tokensAfter: MOST_DIGITS };
    const contentBytes = JSON.stringify(context).length * 3;
    if (budgetTokens !== undefined && budgetTokens >= WHOLE_ANSWER_FROM) {
      const { wanted } = await answerBudget(frame, contentBytes, budgetTokens, settings, tokens);
      return { wanted, ceiling: wanted };
    }
    const { ceiling } = await answerBudget(frame, contentBytes, undefined, settings, tokens);
    return { wanted: { ...ceiling, tokens: Math.min(budgetTokens ?? ceiling.tokens, ceiling.tokens) }, ceiling, of: "context" };
  }
}

/** For programs, which take results of any size. */
function unbounded(budgetTokens: number | undefined): ViewBudget {
  const ceiling = { tokens: MOST_OF_ANYTHING, characters: MOST_OF_ANYTHING };
  return { wanted: { ...ceiling, tokens: budgetTokens ?? ceiling.tokens }, ceiling, of: "context" };
}

function checkParams({ context, checkpointId, sessionId, cursor }: ShapeContextParams): void {
  const isClear = context === undefined ? (checkpointId === undefined) !== (sessionId === undefined) : checkpointId === undefined;
  if (!isClear) {
    throw new WorkrailError("INVALID_INPUT", "Give one of context, checkpointId and sessionId; only sessionId may stand beside context.", {
      details: { field: "context" },
      hint: "Use context for one that you hold, checkpointId for a saved one, sessionId for the latest of a session.",
    });
  }
  if (cursor !== undefined && !/^\d{1,15}$/.test(cursor)) {
    throw new WorkrailError("INVALID_INPUT", "cursor must be the nextCursor of an earlier answer.", {
      details: { field: "cursor" },
      hint: "Leave cursor out to begin with the first names.",
    });
  }
}
