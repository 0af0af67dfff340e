import { type Clock, type Embedder, isWorkrailError, type Log } from "@workrail/core";

/** Pause after a failure, unless the embedder asks for a longer one. */
export const REST_MS = 30_000;

/**
 * Wraps an embedder so that it rests after each failure, and searches do not wait repeatedly for one that is down. Calls meanwhile fail at
 * once with the same error. Logs the first failure of a series, and its end.
 */
export function restingAfterFailure(embedder: Embedder, { clock, log }: { readonly clock: Clock; readonly log: Log }): Embedder {
  let failed: { readonly error: unknown; readonly until: number } | undefined;
  return {
    name: embedder.name,
    get dimensions() {
      return embedder.dimensions;
    },
    async embed(texts, as) {
      if (failed !== undefined && clock.now().getTime() < failed.until) throw failed.error;
      try {
        const vectors = await embedder.embed(texts, as);
        if (failed !== undefined) log.info("the embedder answers again", { embedder: embedder.name });
        failed = undefined;
        return vectors;
      } catch (error) {
        if (failed === undefined) log.warn("the embedder failed: search uses words only", { embedder: embedder.name, error });
        failed = { error, until: clock.now().getTime() + Math.max(REST_MS, askedFor(error)) };
        throw error;
      }
    },
  };
}

function askedFor(error: unknown): number {
  return isWorkrailError(error) ? Number(error.details["retryAfterMs"] ?? 0) : 0;
}
