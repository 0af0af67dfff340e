import { hash, randomUUID } from "node:crypto";
import type { Clock, Digester, IdGenerator, Log, TokenCounter } from "@workrail/core";
import { type CheckpointId, type Digest, type SessionId } from "@workrail/core";

export const systemClock: Clock = { now: () => new Date() };

export const randomIds: IdGenerator = {
  sessionId: () => randomUUID() as SessionId,
  checkpointId: () => randomUUID() as CheckpointId,
};

export const nodeDigests: Digester = { sha256: (data) => hash("sha256", data, "hex") as Digest };

/** Does `work`, which never fails, every so often, until what it returns is called. */
export type Repeat = (work: () => Promise<unknown>, everyMs: number) => () => void;

export const repeatUnnoticed: Repeat = (work, everyMs) => {
  const timer = setInterval(() => void work(), everyMs).unref();
  return () => clearInterval(timer);
};

function ignore(): void {}

export const silentLog: Log = { debug: ignore, info: ignore, warn: ignore, error: ignore };

/** The encoding of current OpenAI models, and a fair estimate for others. Loaded, 2 MB of tables, when first needed. */
export const o200kTokens: TokenCounter = {
  async count(text) {
    const { countTokens } = await import("gpt-tokenizer/encoding/o200k_base");
    // Text that looks like a special token is text all the same.
    return countTokens(text, { disallowedSpecial: new Set() });
  },
};
