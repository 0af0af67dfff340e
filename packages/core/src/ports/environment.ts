import type { CheckpointId, Digest, SessionId } from "../model/ids.ts";

/** The time of day. Never used to order checkpoints. */
export interface Clock {
  now(): Date;
}

export interface IdGenerator {
  /** UUID v4. */
  sessionId(): SessionId;
  /** UUID v4. */
  checkpointId(): CheckpointId;
}

/** SHA-256; core has no cryptography of its own. */
export interface Digester {
  /** Of the bytes, or of the UTF-8 bytes of a text without lone surrogates. */
  sha256(data: Uint8Array | string): Digest;
  /**
   * Of all parts, one behind the other, each asked for when it is needed, and used before the next is: that may be written into
   * the same memory. Gives other work its turn between them. For what is tens of megabytes. Absent: that is digested in one go
   * too. Called without its object.
   */
  readonly sha256OfParts?: ((parts: Iterable<Uint8Array | string>) => Promise<Digest>) | undefined;
}

export type LogFields = Readonly<Record<string, unknown>>;

/** For the person who runs the product. Never receives a value out of a context. */
export interface Log {
  debug(message: string, fields?: LogFields): void;
  info(message: string, fields?: LogFields): void;
  warn(message: string, fields?: LogFields): void;
  error(message: string, fields?: LogFields): void;
}

/** Work that an answer need not wait for. */
export interface Background {
  /** Runs it soon, one piece after another. A failure is logged under `name` and stops nothing else. */
  run(name: string, work: () => Promise<void>): void;
}

/** Tokens of a text. Counting one twice is cheap. */
export type CountTokens = (text: string) => number;

/** Counts the tokens a model would read. */
export interface TokenCounter {
  /** Gives other work its turn while it counts a long text. */
  count(text: string): Promise<number>;
  /** Resolves when the tables are there, to the same count in one go, for work that counts thousands of short texts. */
  load(): Promise<CountTokens>;
}
