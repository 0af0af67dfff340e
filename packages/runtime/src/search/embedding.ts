import type { Clock, Embedder, Log } from "@workrail/core";
import { httpEmbedder } from "@workrail/http-embedder";
import type { EmbedderSettings } from "../settings.ts";
import { restingAfterFailure } from "./resting-embedder.ts";

/** Who embeds, and the end of it. */
export interface Embedding {
  /** Absent: nobody. */
  readonly embedder?: Embedder | undefined;
  /** Gives up what it is asked. To be called at closing: nobody waits for an endpoint then. */
  end(): void;
}

export interface EmbeddingParts {
  readonly clock: Clock;
  readonly log: Log;
}

/** @param own what the program brings: it goes before the settings. */
export function embeddingBy(settings: EmbedderSettings | undefined, own: Embedder | undefined, parts: EmbeddingParts): Embedding {
  const ending = new AbortController();
  const embedder = own ?? (settings === undefined ? undefined : embedderOf(settings, ending.signal));
  return {
    embedder: embedder && restingAfterFailure(embedder, parts),
    end: () => ending.abort(),
  };
}

function embedderOf(settings: EmbedderSettings, signal: AbortSignal): Embedder {
  const { url, model, ...how } = settings;
  if (url !== undefined && model !== undefined) return httpEmbedder({ ...how, url, model, signal });
  const missing = [...(url === undefined ? ["WORKRAIL_EMBEDDER_URL"] : []), ...(model === undefined ? ["WORKRAIL_EMBEDDER_MODEL"] : [])];
  // Work goes on without it, and each search says why.
  const embed = (): Promise<never> => Promise.reject(new Error(`Nobody is asked: ${missing.join(" and ")} must be set.`));
  return { name: "none", dimensions: undefined, embed };
}
