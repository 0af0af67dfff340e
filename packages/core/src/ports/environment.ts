import type { CheckpointId, Digest, SessionId } from "../model/ids.ts";

/** Wall clock. Never used to order checkpoints. */
export interface Clock {
  now(): Date;
}

export interface IdGenerator {
  /** Returns a UUID v4. */
  sessionId(): SessionId;
  /** Returns a UUID v4. */
  checkpointId(): CheckpointId;
}

/** Computes SHA-256; core has no cryptography of its own. */
export interface Digester {
  /** Digests the bytes, or the UTF-8 bytes of a text without lone surrogates. */
  sha256(data: Uint8Array | string): Digest;
  /**
   * Digests the concatenation of all parts, for tens of megabytes of data. Asks for each part only when it is needed and uses the
   * part before asking for the next one, because the next part may reuse the same memory. Yields to other work in between. Absent:
   * the caller digests everything in one call. Called without its object (no `this`).
   */
  readonly sha256OfParts?: ((parts: Iterable<Uint8Array | string>) => Promise<Digest>) | undefined;
}

export type LogFields = Readonly<Record<string, unknown>>;

/** Log for the person who runs the product. Never receives a value out of a context. */
export interface Log {
  debug(message: string, fields?: LogFields): void;
  info(message: string, fields?: LogFields): void;
  warn(message: string, fields?: LogFields): void;
  error(message: string, fields?: LogFields): void;
}

/** Runs work that an answer need not wait for. */
export interface Background {
  /** Queues work to run soon, one job after another. A failure is logged under `name` and does not stop other jobs. */
  run(name: string, work: () => Promise<void>): void;
}

/** Counts the tokens of a text. Counting the same text again is cheap. */
export type CountTokens = (text: string) => number;

/** Counts tokens as a model reads them. */
export interface TokenCounter {
  /** Counts the tokens of a text. Yields to other work while counting a long text. */
  count(text: string): Promise<number>;
  /** Resolves, when the tables are loaded, to a synchronous counter for work that counts thousands of short texts. */
  load(): Promise<CountTokens>;
}
