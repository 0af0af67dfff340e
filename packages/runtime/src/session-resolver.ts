import {
  type CheckpointKind,
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

export interface ResolvedSession {
  readonly sessionId: SessionId;
  readonly reason: SessionReason;
}

/** Whether checkpoints of a kind are what a session goes on with. Others are kept beside that, and bind nobody to their session. */
export function isWork(kind: CheckpointKind = "workflow"): boolean {
  return kind === "workflow" || kind === "aside";
}

/** A process that lives for years must not take all that it ever used for being in use. */
const MOST_IN_USE = 10;

/**
 * Finds the session that a call means when it does not say. Remembers which sessions this process has used: that is
 * the whole state a server has, and losing it only makes calls name their session.
 */
export class SessionResolver {
  readonly #digests: Digester;
  readonly #ids: IdGenerator;
  readonly #limits: Limits;
  /** By workflow; calls that name none share the entry of `undefined`. */
  readonly #byWorkflow = new Map<string | undefined, SessionId>();
  readonly #used = new Set<SessionId>();
  /** For conversations that belong to no session. */
  #ownConversations: SessionId | undefined;
  /** Chosen for saves that are still under way: those that are called meanwhile go the same way. */
  readonly #chosen = new Map<string | undefined, { readonly sessionId: SessionId; saves: number }>();

  constructor(ports: { readonly digests: Digester; readonly ids: IdGenerator; readonly limits: Limits }) {
    this.#digests = ports.digests;
    this.#ids = ports.ids;
    this.#limits = ports.limits;
  }

  /**
   * For a save: the session named; else the one this process uses for the workflow; else, with a workflow, one derived
   * from it and its first context, so that a restarted agent finds its way back; else a fresh one. `saved` or `notSaved`
   * must follow.
   *
   * @throws INVALID_INPUT for what is no session id or no context; TOO_LARGE.
   */
  forSave(given: string | undefined, workflowId: string | undefined, context: object): ResolvedSession {
    return this.#chose(this.#resolve(given, workflowId, context), workflowId);
  }

  /**
   * For a patch: the session named, or else the one this process uses for the workflow; `undefined` where there is none, for a patch
   * never starts a session. Otherwise `saved` or `notSaved` must follow.
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

  /** Where such a save would go as things stand; `undefined` when a session would be made for it. Without a context: a patch. Binds nobody. */
  whereTo(given: string | undefined, workflowId: string | undefined, context: object | undefined): SessionId | undefined {
    const found = context === undefined ? this.#inUseOrGiven(given, workflowId) : this.#find(given, workflowId, context);
    return found?.sessionId;
  }

  #resolve(given: string | undefined, workflowId: string | undefined, context: object): ResolvedSession {
    return this.#find(given, workflowId, context) ?? { sessionId: this.#ids.sessionId(), reason: "fresh" };
  }

  #find(given: string | undefined, workflowId: string | undefined, context: object): ResolvedSession | undefined {
    const found = this.#inUseOrGiven(given, workflowId);
    if (found !== undefined) return found;
    return workflowId === undefined ? undefined : { sessionId: this.#derive(workflowId, context), reason: "derived" };
  }

  #inUseOrGiven(given: string | undefined, workflowId: string | undefined): ResolvedSession | undefined {
    if (given !== undefined) return { sessionId: parseSessionId(given), reason: "given" };
    const known = this.#chosen.get(workflowId)?.sessionId ?? this.#byWorkflow.get(workflowId);
    return known === undefined ? undefined : { sessionId: known, reason: "process" };
  }

  /** For a save of what is no work of its session: the one named, else a fresh one. Nothing must follow. */
  besideWork(given: string | undefined): ResolvedSession {
    return given === undefined
      ? { sessionId: this.#ids.sessionId(), reason: "fresh" }
      : { sessionId: parseSessionId(given), reason: "given" };
  }

  /**
   * For a conversation: the session of the conversations `of` the session that was used last, the same in every process; else
   * one of this process.
   */
  forConversation(): { readonly sessionId: SessionId; readonly of: SessionId | undefined } {
    const of = [...this.#used].at(-1);
    if (of !== undefined) return { sessionId: parseSessionId(uuidOf(this.#digests.sha256(`conversations\n${of}`))), of };
    this.#ownConversations ??= this.#ids.sessionId();
    return { sessionId: this.#ownConversations, of };
  }

  /** Where it matters which session is meant: the one named, or the only one in use. */
  forChange(given: string | undefined): SessionId {
    if (given !== undefined) return parseSessionId(given);
    const [only, ...others] = this.#used;
    if (only !== undefined && others.length === 0) return only;
    const sessions = [...this.#used].slice(-10);
    throw new WorkrailError(
      "INVALID_INPUT",
      sessions.length === 0 ? "Which session is meant? None was used here yet." : `Which session is meant? In use: ${sessions.join(", ")}.`,
      { details: { field: "sessionId", sessions }, hint: "Give sessionId." },
    );
  }

  /** For what is kept beside a session's work: the one named, or the only one in use; `undefined` when that is not clear. */
  forAside(given: string | undefined): SessionId | undefined {
    if (given !== undefined) return parseSessionId(given);
    const [only, ...others] = this.#used;
    return others.length === 0 ? only : undefined;
  }

  /** The sessions that are being saved to, and of those used last the ones that saves without a session go to. */
  inUse(): ReadonlySet<SessionId> {
    const bound = new Set(this.#byWorkflow.values());
    const last = [...this.#used].slice(-MOST_IN_USE).filter((id) => bound.has(id));
    return new Set([...last, ...[...this.#chosen.values()].map(({ sessionId }) => sessionId)]);
  }

  /** A save that succeeded. */
  saved(sessionId: SessionId, workflowId: string | undefined): void {
    this.#use(sessionId, workflowId);
    this.notSaved(sessionId, workflowId);
  }

  /** A save that failed: what was chosen for it binds nobody. */
  notSaved(sessionId: SessionId, workflowId: string | undefined): void {
    const chosen = this.#chosen.get(workflowId);
    if (chosen?.sessionId !== sessionId) return;
    chosen.saves -= 1;
    if (chosen.saves === 0) this.#chosen.delete(workflowId);
  }

  /** A load that succeeded: whoever loads a session goes on in it, named or not. */
  loaded(sessionId: SessionId, workflowId: string | undefined): void {
    this.#use(sessionId, workflowId);
    this.#byWorkflow.set(undefined, sessionId);
  }

  #use(sessionId: SessionId, workflowId: string | undefined): void {
    this.#remember(sessionId);
    this.#byWorkflow.set(workflowId, sessionId);
  }

  /** The last used stands last. */
  #remember(sessionId: SessionId): void {
    this.#used.delete(sessionId);
    this.#used.add(sessionId);
  }

  /** `hash(workflowId + first context)` of the specification, as a UUID of version 8 (RFC 9562). */
  #derive(workflowId: string, context: object): SessionId {
    const { canonicalDigest } = prepareContext(context, this.#limits, this.#digests);
    const digest = this.#digests.sha256(`${workflowId}\n${canonicalDigest}`);
    return parseSessionId(uuidOf(digest));
  }
}
