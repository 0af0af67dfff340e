/** Progress of a call with a part of its work. */
export interface Progress {
  readonly done: number;
  readonly total: number;
  /** The part, such as "Indexing for search". A part follows another when it changes. */
  readonly message: string;
}

/** Reports the progress of a call. */
export type TellProgress = (progress: Progress) => void;

/** Sends a notice that belongs to a request, before its answer. */
export type Notify = (notice: { readonly method: string; readonly params: Record<string, unknown> }) => Promise<void>;

/** Shortest time between two notices: some work tells each of 100,000 steps. */
const MOMENT_MS = 200;

/** Reports that a request asks for, and the way that they take. */
interface ProgressRequest {
  /** `_meta.progressToken` of the request. */
  readonly token: unknown;
  /** Absent when the connection carries no notices. */
  readonly notify: Notify | undefined;
  /** Default: the process's clock. */
  readonly now?: () => number;
}

/** Reports the progress of one call as `notifications/progress`, whose numbers grow as the protocol demands, until the call ends. */
export class ProgressReporter {
  readonly tell: TellProgress;
  #isOver = false;
  #message: string | undefined;
  /** Steps of the parts before this one. */
  #before = 0;
  #told = -1;
  #toldAt = Number.NEGATIVE_INFINITY;

  constructor({ token, notify, now = () => performance.now() }: ProgressRequest) {
    const isAsked = (typeof token === "string" || typeof token === "number") && notify !== undefined;
    this.tell = isAsked
      ? (progress) => this.#send(progress, now(), (params) => notify({ method: METHOD, params: { progressToken: token, ...params } }))
      : () => {};
  }

  /** Ends the reports: none may follow the answer. */
  end(): void {
    this.#isOver = true;
  }

  #send({ done, total, message }: Progress, now: number, notify: (params: Record<string, unknown>) => Promise<void>): void {
    if (message !== this.#message) this.#before = Math.max(0, this.#told);
    const isNews = message !== this.#message || done >= total || now - this.#toldAt >= MOMENT_MS;
    const progress = this.#before + done;
    if (this.#isOver || !isNews || progress <= this.#told) return;
    this.#message = message;
    this.#told = progress;
    this.#toldAt = now;
    // A client that left gets no notices; its call notices the end of the connection.
    notify({ progress, total: this.#before + total, message }).catch(() => {});
  }
}

const METHOD = "notifications/progress";
