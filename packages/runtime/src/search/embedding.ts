import type { Clock, Embedder, Log } from "@workrail/core";
import { httpEmbedder } from "@workrail/http-embedder";
import type { EmbedderSettings } from "../settings.ts";
import { restingAfterFailure } from "./resting-embedder.ts";

/** The embedder, and a way to stop it. */
export interface Embedding {
  /** Absent when nothing is embedded. */
  readonly embedder?: Embedder | undefined;
  /** Aborts running requests. Called at closing, which does not wait for an endpoint. */
  end(): void;
}

export interface EmbeddingParts {
  readonly clock: Clock;
  readonly log: Log;
}

/** @param own embedder that the program brings; takes precedence over the settings. */
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
  // Searching works without an embedder, and each answer says why.
  const embed = (): Promise<never> => Promise.reject(new Error(`No model is used: ${missing.join(" and ")} must be set.`));
  return { name: "none", dimensions: undefined, embed };
}
