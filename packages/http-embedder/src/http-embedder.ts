import { type EmbeddedAs, type Embedder, isWorkrailError } from "@workrail/core";
import { askEndpoint, type Endpoint, notAnAnswer } from "@workrail/http-endpoint";
import { batchesOf, inParts } from "./batches.ts";
import { type EmbedderKind, SPOKEN } from "./spoken.ts";

export interface HttpEmbedderOptions {
  /** Protocol of the endpoint. Default `openai`. */
  readonly kind?: EmbedderKind;
  /** Base address: for `openai` including the version, such as `http://localhost:8080/v1`; for `ollama` without a path. */
  readonly url: string;
  readonly model: string;
  /** Bearer token. Default: none. */
  readonly apiKey?: string | undefined;
  /** Time limit in milliseconds for a request with a query, for which a user waits. */
  readonly timeoutMs: number;
  /** Time limit for a background request with texts. Default 120,000 ms: the model may have to be loaded first. */
  readonly textsTimeoutMs?: number;
  /** Prefix for queries, as expected by the model. Default: none. */
  readonly queryPrefix?: string | undefined;
  /** Prefix for texts. Default: none. */
  readonly textPrefix?: string | undefined;
  /** Aborts running requests and rejects later ones. */
  readonly signal?: AbortSignal | undefined;
  /** Approximate wait before the second try. Default 250 ms. */
  readonly firstWaitMs?: number;
}

const TRIES = 4;
/** Maximum bytes of an answer: 32 vectors with 4,096 numbers each as JSON. */
const MOST_BYTES = 8_000_000;
/** Status codes of endpoints for a text that is too long, or too many texts. */
const TOO_MUCH = new Set<unknown>([400, 413, 422]);

/** Creates an embedder for a model behind an endpoint with OpenAI's or Ollama's embeddings. */
export function httpEmbedder(options: HttpEmbedderOptions): Embedder {
  return new HttpEmbedder(options);
}

class HttpEmbedder implements Embedder {
  readonly name: string;
  readonly #options: HttpEmbedderOptions;
  readonly #spoken: (typeof SPOKEN)[EmbedderKind];
  #dimensions: number | undefined;

  constructor(options: HttpEmbedderOptions) {
    this.#options = options;
    this.#spoken = SPOKEN[options.kind ?? "openai"];
    // The same model makes different vectors with another prefix.
    this.name = options.textPrefix === undefined ? options.model : `${options.model} (${options.textPrefix.trim()})`;
  }

  get dimensions(): number | undefined {
    return this.#dimensions;
  }

  async embed(texts: readonly string[], as: EmbeddedAs): Promise<readonly Float32Array[]> {
    const prefix = (as === "query" ? this.#options.queryPrefix : this.#options.textPrefix) ?? "";
    const vectors: Float32Array[] = [];
    for (const batch of batchesOf(texts.map((text) => prefix + text))) vectors.push(...(await this.#embedBatch(batch, as)));
    return vectors;
  }

  /** Embeds a batch, in parts when it is too large for the endpoint. */
  async #embedBatch(batch: readonly string[], as: EmbeddedAs): Promise<readonly Float32Array[]> {
    try {
      return await this.#ask(batch, as);
    } catch (error) {
      const isTooMuch = isWorkrailError(error) && TOO_MUCH.has(error.details["status"]);
      const parts = isTooMuch ? inParts(batch) : [];
      if (parts.length === 0) throw error;
      const vectors: Float32Array[] = [];
      for (const part of parts) vectors.push(...(await this.#embedBatch(part, as)));
      return vectors;
    }
  }

  async #ask(batch: readonly string[], as: EmbeddedAs): Promise<readonly Float32Array[]> {
    const { timeoutMs, textsTimeoutMs = 120_000, url, apiKey, firstWaitMs = 250, model, signal } = this.#options;
    const limits = { timeoutMs: as === "query" ? timeoutMs : textsTimeoutMs, tries: TRIES, firstWaitMs, mostBytes: MOST_BYTES };
    const endpoint: Endpoint = { url, apiKey, signal, hint: this.#spoken.hint, ...limits };
    const answer = await askEndpoint(endpoint, this.#spoken.path, { model, input: batch });
    const vectors = this.#spoken.vectors(answer)?.map(vectorOf) ?? [];
    if (vectors.length !== batch.length) throw notAnAnswer(endpoint, `has no vector for each of ${batch.length} texts`);
    return vectors.map((vector) => {
      if (vector === undefined) throw notAnAnswer(endpoint, "has a vector that is none");
      this.#dimensions ??= vector.length;
      if (vector.length === this.#dimensions) return vector;
      throw notAnAnswer(endpoint, `has a vector of ${vector.length} numbers where the model makes ${this.#dimensions}`);
    });
  }
}

function vectorOf(numbers: unknown): Float32Array | undefined {
  if (!Array.isArray(numbers) || !numbers.every(Number.isFinite) || !numbers.some((number) => number !== 0)) return undefined;
  return Float32Array.from(numbers as number[]);
}
