import { type Clock, type Embedder, isWorkrailError, type Log } from "@workrail/core";

/** After a failure, unless it asks for longer. */
export const REST_MS = 30_000;

/**
 * The same embedder, left alone for a while after each failure, so that searches do not wait again and again for one that is down.
 * Who asks meanwhile gets the same failure at once. The first failure of a row is logged, and the end of the row.
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
        if (failed === undefined)
          log.warn("the embedder failed: checkpoints are found by their words alone", { embedder: embedder.name, error });
        failed = { error, until: clock.now().getTime() + Math.max(REST_MS, askedFor(error)) };
        throw error;
      }
    },
  };
}

function askedFor(error: unknown): number {
  return isWorkrailError(error) ? Number(error.details["retryAfterMs"] ?? 0) : 0;
}
