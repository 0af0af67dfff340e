import { createHash, hash, randomUUID } from "node:crypto";
import { setImmediate as yieldToEventLoop } from "node:timers/promises";
import type { Classifier, Clock, Digester, IdGenerator, Log } from "@workrail/core";
import { type CheckpointId, type Digest, type SessionId } from "@workrail/core";

export const systemClock: Clock = { now: () => new Date() };

export const randomIds: IdGenerator = {
  sessionId: () => randomUUID() as SessionId,
  checkpointId: () => randomUUID() as CheckpointId,
};

export const nodeDigests: Digester = {
  sha256: (data) => hash("sha256", data, "hex") as Digest,
  async sha256OfParts(parts) {
    const digest = createHash("sha256");
    let since = performance.now();
    for (const part of parts) {
      digest.update(part);
      if (performance.now() - since < TURN_MS) continue;
      await yieldToEventLoop();
      since = performance.now();
    }
    return digest.digest("hex") as Digest;
  },
};

/** Longest time that other work may be blocked: too short for a person to notice. */
const TURN_MS = 10;

/** Repeats `work`, which never rejects, at an interval. Returns a function that stops it. */
export type Repeat = (work: () => Promise<unknown>, everyMs: number) => () => void;

export const repeatUnnoticed: Repeat = (work, everyMs) => {
  const timer = setInterval(() => void work(), everyMs).unref();
  return () => clearInterval(timer);
};

function ignore(): void {}

export const silentLog: Log = { debug: ignore, info: ignore, warn: ignore, error: ignore };

let loaded: Classifier | undefined;

/** The built-in classifier. Loaded on first use: it takes long to load, and many processes classify nothing. */
export const classifierOnDemand: Classifier = {
  async classify(context, keys) {
    loaded ??= (await import("@workrail/classifier")).wordClassifier;
    return loaded.classify(context, keys);
  },
};
