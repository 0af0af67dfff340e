import type { Notice, Tell } from "./notices.ts";

/** Notices that wait for a client, each at most once, however slowly it reads. */
export class Outbox {
  readonly #tell: Tell;
  readonly #signal: AbortSignal;
  /** URIs, and `undefined` for the list. */
  readonly #waiting = new Set<string | undefined>();
  #isSending = false;

  constructor(tell: Tell, signal: AbortSignal) {
    this.#tell = tell;
    this.#signal = signal;
  }

  /** Adds a notice of a resource; without a URI, of the list. */
  add(uri?: string): void {
    this.#waiting.add(uri);
    if (!this.#isSending) void this.#send();
  }

  async #send(): Promise<void> {
    this.#isSending = true;
    for (const uri of this.#waiting) {
      if (this.#signal.aborted) break;
      this.#waiting.delete(uri);
      await this.#tell(noticeOf(uri));
    }
    this.#isSending = false;
  }
}

function noticeOf(uri: string | undefined): Notice {
  return uri === undefined
    ? { method: "notifications/resources/list_changed" }
    : { method: "notifications/resources/updated", params: { uri } };
}
