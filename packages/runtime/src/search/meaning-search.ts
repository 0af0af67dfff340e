import type { Embedder, VectorEngine } from "@workrail/core";
import type { FoundCheckpoint, SearchInput } from "@workrail/search";
import type { Parts } from "../tokens.ts";
import { loadSearching } from "./load-searching.ts";
import { type MeaningNote, searchHitOf, type SearchHit } from "./search-checkpoints.ts";
import { spaceOf, VectorKeeper } from "./vector-keeper.ts";

/** The embedder to ask, and the store of its vectors. */
interface MeaningPorts {
  readonly embedder: Embedder;
  /** Absent when the storage cannot hold vectors. */
  readonly vectors: VectorEngine | undefined;
}

/** Hits by meaning that follow the hits by words. */
export interface Filling {
  readonly hits: readonly SearchHit[];
  /** Absent when no embedder was asked. */
  readonly meaning?: MeaningNote;
}

/** Most cached query vectors. A page of hits is often followed by the next page of the same query. */
const MOST_REMEMBERED = 64;

/** Finds checkpoints with a meaning similar to a query, when an embedder is configured. */
export class MeaningSearch {
  readonly #parts: Parts;
  /** Embeds changes; absent without an embedder, or where the storage cannot hold vectors. */
  readonly keeper: VectorKeeper | undefined;
  readonly #questions = new Map<string, Float32Array>();

  constructor(parts: Parts) {
    this.#parts = parts;
    const { embedding, storage, settings } = parts;
    if (embedding.embedder === undefined || storage.vectors === undefined) return;
    const { findSecrets } = parts.screening;
    this.keeper = new VectorKeeper({
      ...parts,
      findSecrets,
      limits: settings.limits,
      embedder: embedding.embedder,
      vectors: storage.vectors,
    });
  }

  /** Finds hits by meaning. Never fails: the result says why nothing was found. */
  async fill(input: SearchInput, found: readonly FoundCheckpoint[]): Promise<Filling> {
    const { embedding, storage } = this.#parts;
    const { embedder } = embedding;
    if (embedder === undefined || found.length >= input.limit) return { hits: [] };
    const { parseQuery } = await loadSearching();
    if (parseQuery(input.query).phrases.length > 0) return { hits: [] };
    try {
      return await this.#find(input, found, { embedder, vectors: storage.vectors });
    } catch (error) {
      return { hits: [], meaning: { embedder: embedder.name, failed: error instanceof Error ? error.message : String(error) } };
    }
  }

  /** Resolves when no work is running. */
  async stop(): Promise<void> {
    const stopped = this.keeper?.stop();
    this.#parts.embedding.end();
    await stopped;
  }

  async #find(input: SearchInput, found: readonly FoundCheckpoint[], { embedder, vectors }: MeaningPorts): Promise<Filling> {
    if (vectors === undefined) throw new Error("This store has no place for vectors: it is sealed, or kept without SQLite.");
    const { cleanText, findByMeaning } = await loadSearching();
    const vector = await this.#vectorOf(cleanText(input.query, this.#parts.screening.findSecrets), embedder);
    const space = await spaceOf(embedder);
    const except = new Set(found.map(({ record }) => record.id));
    const near = await findByMeaning({ ...this.#parts, vectors }, { ...input, space, vector, except, limit: input.limit - found.length });
    const { pending } = await vectors.state(space);
    const least = Math.min(1, ...found.map(({ score }) => score));
    return {
      hits: near.map(({ similarity, ...hit }) => ({
        ...searchHitOf({ ...hit, score: Math.min(1, similarity) * least, snippet: undefined }),
        by: "meaning",
      })),
      meaning: { embedder: embedder.name, ...(pending === 0 ? {} : { pending }) },
    };
  }

  async #vectorOf(question: string, embedder: Embedder): Promise<Float32Array> {
    const known = this.#questions.get(question);
    if (known !== undefined) return known;
    const [vector] = await embedder.embed([question], "query");
    if (vector === undefined) throw new Error("The embedder returned no vector.");
    const [oldest] = this.#questions.keys();
    if (this.#questions.size >= MOST_REMEMBERED && oldest !== undefined) this.#questions.delete(oldest);
    this.#questions.set(question, vector);
    return vector;
  }
}
