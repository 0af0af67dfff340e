import {
  type CheckpointKind,
  type Context,
  type Digester,
  type IdGenerator,
  type Limits,
  parseSessionId,
  prepareContext,
  type SessionId,
  uuidOf,
  WorkrailError,
} from "@workrail/core";
import type { SessionReason } from "./context-management-service.ts";
import type { Settings } from "./settings.ts";

export interface ResolvedSession {
  readonly sessionId: SessionId;
  readonly reason: SessionReason;
}

/**
 * Tells whether checkpoints of a kind are work that a session continues from. Saves of other kinds do not make their session the one in
 * use.
 */
export function isWork(kind: CheckpointKind = "workflow"): boolean {
  return kind === "workflow" || kind === "aside";
}

export interface ResolverPorts {
  readonly digests: Digester;
  readonly ids: IdGenerator;
  readonly settings: Pick<Settings, "limits" | "remembersSessions">;
  /** Project of a caller with a right to some: a session derived for it never meets one of another project. Default: none. */
  readonly project?: string | undefined;
}

/** Most sessions that count as in use, for a process that lives for years. */
const MOST_IN_USE = 10;

/**
 * Finds the session of a call that does not name one.
 *
 * Remembers the sessions that this process has used. This is the only state of a server; after losing it, calls must name their session.
 */
export class SessionResolver {
  readonly #digests: Digester;
  readonly #ids: IdGenerator;
  readonly #limits: Limits;
  /** False: calls without a session never use the session of an earlier call. */
  readonly #remembers: boolean;
  readonly #project: string | undefined;
  /** By workflow; calls without a workflow share the key `undefined`. */
  readonly #byWorkflow = new Map<string | undefined, SessionId>();
  readonly #used = new Set<SessionId>();
  /** Session of conversations that belong to no other session. */
  #ownConversations: SessionId | undefined;
  /** Sessions chosen for saves in progress: concurrent saves use the same one. */
  readonly #chosen = new Map<string | undefined, { readonly sessionId: SessionId; saves: number }>();

  constructor({ digests, ids, settings, project }: ResolverPorts) {
    this.#digests = digests;
    this.#ids = ids;
    this.#limits = settings.limits;
    this.#remembers = settings.remembersSessions;
    this.#project = project;
  }

  /**
   * Returns the session of a save: the given one; else the one this process uses for the workflow; else, with a workflow, one derived from
   * the workflow and its first context, so that a restarted agent finds it again; else a new one. The caller must call `saved` or
   * `notSaved` afterwards.
   *
   * @throws INVALID_INPUT for an invalid session id or context; TOO_LARGE.
   */
  forSave(given: string | undefined, workflowId: string | undefined, context: object): ResolvedSession {
    const found = this.#find(given, workflowId, context) ?? { sessionId: this.#ids.sessionId(), reason: "fresh" };
    return this.#chose(found, workflowId);
  }

  /**
   * Returns the session of a patch: the given one, or the one this process uses for the workflow. `undefined` when there is none, because a
   * patch never starts a session; otherwise the caller must call `saved` or `notSaved` afterwards.
   */
  forPatch(given: string | undefined, workflowId: string | undefined): ResolvedSession | undefined {
    const found = this.#inUseOrGiven(given, workflowId);
    return found === undefined ? undefined : this.#chose(found, workflowId);
  }

  #chose(resolved: ResolvedSession, workflowId: string | undefined): ResolvedSession {
    const chosen = this.#chosen.get(workflowId);
    if (chosen?.sessionId === resolved.sessionId) chosen.saves += 1;
    else this.#chosen.set(workflowId, { sessionId: resolved.sessionId, saves: 1 });
    return resolved;
  }

  /**
   * Returns the session that such a save would use now; `undefined` when it would create one. Without a context: a patch. Changes nothing.
   */
  whereTo(given: string | undefined, workflowId: string | undefined, context: object | undefined): SessionId | undefined {
    const found = context === undefined ? this.#inUseOrGiven(given, workflowId) : this.#find(given, workflowId, context);
    return found?.sessionId;
  }

  #find(given: string | undefined, workflowId: string | undefined, context: object): ResolvedSession | undefined {
    const found = this.#inUseOrGiven(given, workflowId);
    if (found !== undefined) return found;
    return workflowId === undefined ? undefined : { sessionId: this.#derive(workflowId, context), reason: "derived" };
  }

  #inUseOrGiven(given: string | undefined, workflowId: string | undefined): ResolvedSession | undefined {
    if (given !== undefined) return { sessionId: parseSessionId(given), reason: "given" };
    if (!this.#remembers) return undefined;
    const known = this.#chosen.get(workflowId)?.sessionId ?? this.#byWorkflow.get(workflowId);
    return known === undefined ? undefined : { sessionId: known, reason: "process" };
  }

  /** Returns the session of a save that is not work: the given one, or a new one. No further call is needed. */
  besideWork(given: string | undefined): ResolvedSession {
    return given === undefined
      ? { sessionId: this.#ids.sessionId(), reason: "fresh" }
      : { sessionId: parseSessionId(given), reason: "given" };
  }

  /**
   * Returns the session of a conversation: the one derived from the session used last, the same in every process; else one of this process.
   * `undefined`: a new one.
   */
  forConversation(): { readonly sessionId: SessionId | undefined; readonly of: SessionId | undefined } {
    if (!this.#remembers) return { sessionId: undefined, of: undefined };
    const of = [...this.#used].at(-1);
    if (of !== undefined) return { sessionId: parseSessionId(uuidOf(this.#digests.sha256(`conversations\n${of}`))), of };
    this.#ownConversations ??= this.#ids.sessionId();
    return { sessionId: this.#ownConversations, of };
  }

  /** Returns the session of a change that must not hit a wrong one: the given one, or the only one in use. */
  forChange(given: string | undefined): SessionId {
    if (given !== undefined) return parseSessionId(given);
    const used = this.#remembers ? [...this.#used] : [];
    const [only, ...others] = used;
    if (only !== undefined && others.length === 0) return only;
    const sessions = used.slice(-10);
    throw new WorkrailError(
      "INVALID_INPUT",
      sessions.length === 0
        ? "sessionId is missing, and no session is in use."
        : `sessionId is missing, and several sessions are in use: ${sessions.join(", ")}.`,
      { details: { field: "sessionId", sessions }, hint: "Give sessionId." },
    );
  }

  /** Returns the session of an aside: the given one, or the only one in use; `undefined` when that is ambiguous. */
  forAside(given: string | undefined): SessionId | undefined {
    if (given !== undefined) return parseSessionId(given);
    if (!this.#remembers) return undefined;
    const [only, ...others] = this.#used;
    return others.length === 0 ? only : undefined;
  }

  /** Returns the sessions with running saves, and the last used sessions that saves without a session go to. */
  inUse(): ReadonlySet<SessionId> {
    const bound = new Set(this.#byWorkflow.values());
    const last = [...this.#used].slice(-MOST_IN_USE).filter((id) => bound.has(id));
    return new Set([...last, ...[...this.#chosen.values()].map(({ sessionId }) => sessionId)]);
  }

  /** Records a successful save. */
  saved(sessionId: SessionId, workflowId: string | undefined): void {
    this.#use(sessionId, workflowId);
    this.notSaved(sessionId, workflowId);
  }

  /** Records a failed save: its session is not bound. */
  notSaved(sessionId: SessionId, workflowId: string | undefined): void {
    const chosen = this.#chosen.get(workflowId);
    if (chosen?.sessionId !== sessionId) return;
    chosen.saves -= 1;
    if (chosen.saves === 0) this.#chosen.delete(workflowId);
  }

  /** Records a load: the process continues in the loaded session, named or not. */
  loaded(sessionId: SessionId, workflowId: string | undefined): void {
    this.#use(sessionId, workflowId);
    this.#byWorkflow.set(undefined, sessionId);
  }

  #use(sessionId: SessionId, workflowId: string | undefined): void {
    // Keeps the last used session at the end.
    this.#used.delete(sessionId);
    this.#used.add(sessionId);
    this.#byWorkflow.set(workflowId, sessionId);
  }

  /** `hash(workflowId + first context)` of the specification, as a UUID of version 8 (RFC 9562). */
  #derive(workflowId: string, context: object): SessionId {
    const { canonicalDigest } = prepareContext(context, this.#limits, this.#digests);
    const of = this.#project === undefined ? "" : `${this.#project}\n`;
    const digest = this.#digests.sha256(`${of}${workflowId}\n${canonicalDigest}`);
    return parseSessionId(uuidOf(digest));
  }
}

/** Finds the goal of a context, by which a session is named. Its words are loaded with the first save. */
export async function nameSession(context: Context): Promise<string | undefined> {
  const { goalOf } = await import("@workrail/views/handoff-part");
  return goalOf(context);
}
