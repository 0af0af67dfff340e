import { elapsedMs } from "@workrail/blob-files";
import { isWorkrailError, parseSessionId, type SessionId, WorkrailError } from "@workrail/core";
import { type IncomingSave, waitingIfReadable, waitingNames } from "../hooks/incoming-save.ts";
import { takeIncoming } from "../hooks/take-incoming.ts";
import type { TakenSave, TakeSavesParams, TakeSavesResult } from "../pushed-params.ts";
import type { Parts } from "../tokens.ts";

/** Time before saves that could not be sent are tried again. New ones are tried at once. */
const AGAIN_MS = 60_000;

/** Sends what hooks saved on this machine to a node. */
export class NodeIncoming {
  readonly #parts: Pick<Parts, "settings" | "log">;
  readonly #take: (params: TakeSavesParams) => Promise<TakeSavesResult>;
  #notSent: { readonly waiting: string; readonly until: number } | undefined;

  /** @param take lets the node save. */
  constructor(parts: Pick<Parts, "settings" | "log">, take: (params: TakeSavesParams) => Promise<TakeSavesResult>) {
    this.#parts = parts;
    this.#take = take;
  }

  /** Sends the saves that wait in files, or those given. See `Workrail.takeIncoming`. */
  async send(saves?: readonly IncomingSave[]): Promise<number> {
    if (saves !== undefined) return this.#sendThese(saves);
    const { log, settings } = this.#parts;
    const { dataDir, readOnly } = settings;
    if (readOnly) return 0;
    try {
      const waiting = waitingNames(dataDir);
      if (waiting === "" || (waiting === this.#notSent?.waiting && elapsedMs() < this.#notSent.until)) return 0;
      this.#notSent = undefined;
      return (await takeIncoming(this.#sendingOne(), dataDir)).sessions.length;
    } catch (error) {
      this.#notSent = { waiting: waitingIfReadable(dataDir), until: elapsedMs() + AGAIN_MS };
      log.warn("saves of hooks could not be sent to the node now", { error });
      return 0;
    }
  }

  async #sendThese(saves: readonly IncomingSave[]): Promise<number> {
    const { outcomes } = await this.#take({ saves });
    const sessions = new Set<string>();
    for (const [index, outcome] of outcomes.entries()) {
      if (outcome.status === "refused") throw outcome.error;
      if (outcome.status === "taken") sessions.add(saves[index]?.sessionId ?? "");
    }
    return sessions.size;
  }

  /** A node that fails is asked once: the other saves wait as well. */
  #sendingOne(): (save: IncomingSave, onGap: () => void) => Promise<SessionId | undefined> {
    let failure: WorkrailError | undefined;
    return async (save, onGap) => {
      if (failure !== undefined) throw failure;
      const { outcomes } = await this.#take({ saves: [save] }).catch((error: unknown) => {
        if (isWorkrailError(error) && error.code === "TOO_LARGE") throw error;
        failure = notNow(error);
        throw failure;
      });
      const outcome = outcomes[0] as TakenSave;
      if (outcome.status === "refused") throw outcome.error;
      if (outcome.hasGap === true) onGap();
      return outcome.status === "taken" ? parseSessionId(save.sessionId) : undefined;
    };
  }
}

/** The save is kept: a token can get a right, and a node can come back. */
function notNow(cause: unknown): WorkrailError {
  const { message, hint } = isWorkrailError(cause) ? cause : { message: "The node cannot be reached.", hint: undefined };
  return new WorkrailError("STORAGE_UNAVAILABLE", message, {
    details: { reason: "no-answer" },
    cause,
    ...(hint === undefined ? {} : { hint }),
  });
}
