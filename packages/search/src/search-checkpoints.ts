import {
  type AskedTerm,
  type CheckpointId,
  type CheckpointRecord,
  type IndexFilter,
  type IndexHit,
  isItsOwnFault,
  type Locking,
  type Matches,
  matchesFilter,
  readContext,
  type ReadPorts,
  type SearchIndex,
  type Session,
  type SessionId,
  type WeightedTerm,
  findSessionAndHead,
  findCheckpoint,
  liveWhere,
} from "@workrail/core";
import { linesOf, searchableTextsOf } from "./checkpoint-text.ts";
import { findBestLines, findLines, type FoundLine, phraseFinder, snippetOf, type Wanted } from "./found-text.ts";
import { ownProjectThreshold, ownFirst } from "./own-first.ts";
import { type ParsedQuery, parseQuery } from "./parse-query.ts";
import { relatedTerms } from "./related-terms.ts";
import { termsOf } from "./terms.ts";

export interface SearchPorts extends ReadPorts {
  readonly locking: Locking;
  readonly search: SearchIndex;
}

export interface SearchInput {
  readonly query: string;
  readonly filter: IndexFilter;
  /** Hits of this project come before others with about the same score. */
  readonly projectFirst?: string | undefined;
  readonly limit: number;
  /** Skips checkpoints with larger contexts. Default: no limit. */
  readonly mostBytes?: number | undefined;
}

export interface FoundCheckpoint {
  readonly record: CheckpointRecord;
  /** Session of the checkpoint. */
  readonly session: Session | undefined;
  /** Head of the session; the checkpoint itself when there is none. */
  readonly head: CheckpointId;
  /** From 0 to 1. */
  readonly score: number;
  /** Part of its text with searched words. */
  readonly snippet: string | undefined;
}

export interface SearchOutcome {
  /** Best first. */
  readonly hits: readonly FoundCheckpoint[];
  /** True when nothing matches exactly: the hits only have words of a phrase, synonyms, prefixes, or similar spellings. */
  readonly isLoose: boolean;
}

/** Number of best hits from which related terms are taken. */
const SAMPLES = 3;
/** Queries with fewer terms get no related terms: most of them are names, which must match exactly. */
const LEAST_TERMS_TO_RELATE = 5;
/** Characters per sampled hit. */
const SAMPLE_CHARACTERS = 4_000;
/** Most hits to examine when most turn out not to match. */
const MOST_HITS = 120;
/** Most similar terms per query term that is not in the index. */
const MOST_ALIKE = 8;
/** Most later checkpoints examined for a text. */
const MOST_LATER = 10;
/** Factor on the score of loose hits. */
const LOOSE_FACTOR = 0.5;

/**
 * Finds checkpoints by words. A hit is the checkpoint in which the text appeared, or, when that one does not meet the filter, a
 * later one of its session that does and still contains the text. Removed and unreadable checkpoints are not hits.
 */
export async function searchCheckpoints(ports: SearchPorts, input: SearchInput): Promise<SearchOutcome> {
  const query = parseQuery(input.query);
  return ports.locking.shared(async () => {
    const search = new Search(ports, query, input);
    const hits = await search.run(query.terms);
    if (hits.length > 0) return { hits, isLoose: !search.hasExactHit };
    const loose = await searchLoosely(ports, query, input);
    return { hits: loose.map((hit) => ({ ...hit, score: hit.score * LOOSE_FACTOR })), isLoose: loose.length > 0 };
  });
}

/**
 * Searches without phrases, then for words with similar prefixes or spellings. A query of phrases only is not loosened: it has no
 * results.
 */
async function searchLoosely(ports: SearchPorts, query: ParsedQuery, input: SearchInput): Promise<FoundCheckpoint[]> {
  if (query.isPhrasesOnly) return [];
  const search = new Search(ports, { ...query, required: [], phrases: [] }, input);
  const hits = query.required.length === 0 ? [] : await search.run(query.terms);
  return hits.length > 0 ? hits : search.run(await termsAlike(ports.search, query.terms));
}

async function termsAlike(search: SearchIndex, terms: readonly WeightedTerm[]): Promise<WeightedTerm[]> {
  const alike = new Map<string, number>();
  for (const { term, weight } of terms) {
    const likely = await search.termsLike(term, MOST_ALIKE);
    for (const [index, each] of likely.entries()) alike.set(each, Math.max(alike.get(each) ?? 0, weight / (index + 1)));
  }
  return [...alike].map(([term, weight]) => ({ term, weight }));
}

/** Searchable texts of a checkpoint, split into lines on demand. */
class ReadTexts {
  readonly whole: readonly string[];
  #lines: readonly string[] | undefined;

  constructor(whole: readonly string[]) {
    this.whole = whole;
  }

  get lines(): readonly string[] {
    this.#lines ??= linesOf(this.whole);
    return this.#lines;
  }
}

class Search {
  readonly #ports: SearchPorts;
  readonly #query: ParsedQuery;
  readonly #input: SearchInput;
  readonly #phrases: readonly ((text: string) => boolean)[];
  readonly #records = new Map<CheckpointId, Promise<CheckpointRecord | undefined>>();
  readonly #texts = new Map<CheckpointId, Promise<ReadTexts | undefined>>();
  readonly #sessions = new Map<SessionId, ReturnType<typeof findSessionAndHead>>();
  #wanted: Wanted = { terms: new Map() };
  #substitutes: Wanted = { terms: new Map() };
  #hasExactHit = false;

  constructor(ports: SearchPorts, query: ParsedQuery, input: SearchInput) {
    this.#ports = ports;
    this.#query = query;
    this.#input = input;
    this.#phrases = query.phrases.map(phraseFinder);
  }

  /** True when any hit contains a term exactly as requested. */
  get hasExactHit(): boolean {
    return this.#hasExactHit;
  }

  async run(terms: readonly AskedTerm[]): Promise<FoundCheckpoint[]> {
    const { filter, projectFirst, limit } = this.#input;
    if (terms.length === 0) return [];
    this.#wanted = wantedOf(terms);
    this.#substitutes = substitutesOf(terms);
    const { required, terms: asked } = this.#query;
    const matches = await this.#ports.search.match({ terms, required, filter });
    const related = asked.length < LEAST_TERMS_TO_RELATE || required.length > 0 ? [] : await this.#related(terms, matches);
    const found = await this.#collect(matches, related, { filter, leastScore: 0 });
    if (projectFirst === undefined || filter.project !== undefined) return found;
    const last = found[limit - 1];
    // With fewer results than the limit, nothing was left out.
    if (last === undefined) return ownFirst(found, projectFirst, scoreOf);
    const own = await this.#collect(matches, related, {
      filter: { ...filter, project: projectFirst },
      leastScore: ownProjectThreshold(last.score),
    });
    return ownFirst([...found, ...own], projectFirst, scoreOf).slice(0, limit);
  }

  async #collect(matches: Matches, related: readonly WeightedTerm[], { filter, leastScore }: CollectOptions): Promise<FoundCheckpoint[]> {
    const { limit } = this.#input;
    const found = new Map<CheckpointId, Match>();
    for (let offset = 0; offset < MOST_HITS && found.size < limit;) {
      const page = offset === 0 ? Math.min(MOST_HITS, limit) : 100;
      const hits = await matches.page({ related, limit: page, offset, project: filter.project });
      const eligible = hits.filter(({ score }) => score >= leastScore);
      await this.#readAhead(eligible.slice(0, limit - found.size));
      for (const hit of eligible) if (found.size < limit) await this.#add(hit, filter, found);
      if (eligible.length < page) break;
      offset += page;
    }
    return Promise.all(
      [...found.values()].map(async (match) => {
        const { session, head } = await this.#sessionOf(match.record.sessionId);
        return { ...match, session, head: head?.id ?? match.record.id };
      }),
    );
  }

  /** Returns terms that the best hits share. The actual search then prefers hits with these terms. */
  async #related(terms: readonly WeightedTerm[], matches: Matches): Promise<WeightedTerm[]> {
    const hits = await matches.page({ limit: SAMPLES, offset: 0 });
    await this.#readAhead(hits);
    const samples: { readonly score: number; readonly terms: readonly string[] }[] = [];
    for (const { checkpointId, score } of hits) {
      const record = await this.#recordOf(checkpointId);
      const lines = record === undefined ? undefined : await this.#linesOf(record);
      if (lines !== undefined) samples.push({ score, terms: termsOf(this.#sampleOf(lines)) });
    }
    return relatedTerms(new Set(terms.map(({ term }) => term)), samples);
  }

  /** Reads the texts of hits in parallel, so that later steps find them in the cache. */
  async #readAhead(hits: readonly IndexHit[]): Promise<void> {
    await Promise.all(
      hits.map(async ({ checkpointId }) => {
        const record = await this.#recordOf(checkpointId);
        if (record !== undefined) await this.#textsOf(record);
      }),
    );
  }

  #sampleOf(lines: readonly string[]): string {
    const all = lines.join("\n");
    if (all.length <= SAMPLE_CHARACTERS) return all;
    const found = findLines(lines, this.#wanted).map(({ part }) => part);
    return found.join("\n").slice(0, SAMPLE_CHARACTERS);
  }

  async #add(hit: IndexHit, filter: IndexFilter, into: Map<CheckpointId, Match>): Promise<void> {
    const record = await this.#recordFor(hit, filter);
    if (record === undefined || into.has(record.id)) return;
    const texts = await this.#textsOf(record);
    if (texts === undefined || !this.#phrases.every((isIn) => texts.whole.some(isIn))) return;
    const found = this.#bestLines(texts.lines);
    // The index may lag behind; the text does not.
    if (found.length === 0) return;
    this.#hasExactHit ||= found.some(({ terms }) => [...terms].some((term) => this.#wanted.terms.has(term)));
    into.set(record.id, { record, score: hit.score, snippet: this.#snippet(record, texts.lines, found) });
  }

  /** Returns lines with the terms, or else lines with their substitutes. */
  #bestLines(lines: readonly string[]): readonly FoundLine[] {
    const found = findBestLines(lines, this.#wanted);
    return found.length > 0 ? found : findBestLines(lines, this.#substitutes);
  }

  /** Prefers other text over the name, which every answer shows anyway. */
  #snippet({ name }: CheckpointRecord, lines: readonly string[], found: readonly FoundLine[]): string | undefined {
    const named = new Set(name === undefined ? [] : linesOf([name]));
    if (!found.some(({ line }) => named.has(line))) return snippetOf(found, lines);
    const others = lines.filter((line) => !named.has(line));
    return snippetOf(this.#bestLines(others), others) ?? snippetOf(found);
  }

  async #recordFor(hit: IndexHit, filter: IndexFilter): Promise<CheckpointRecord | undefined> {
    const record = await this.#recordOf(hit.checkpointId);
    if (record === undefined) return undefined;
    // Most queries have no tags.
    const tags = filter.tags === undefined ? undefined : (await this.#sessionOf(record.sessionId)).session?.tags;
    return matchesFilter(record, tags ?? [], filter) ? record : this.#laterWithLine(record, filter);
  }

  /** Returns the oldest examined later checkpoint that meets the filter and contains the line of the hit. */
  async #laterWithLine(hit: CheckpointRecord, filter: IndexFilter): Promise<CheckpointRecord | undefined> {
    const lines = await this.#linesOf(hit);
    const [best] = lines === undefined ? [] : this.#bestLines(lines);
    if (best === undefined) return undefined;
    const where = liveWhere({ ...filter, sessionId: hit.sessionId });
    const { later } = await this.#ports.catalog.read({
      later: { of: "checkpoints", where, order: "oldest", after: hit.sequence, limit: MOST_LATER },
    });
    for (const { record } of later) if ((await this.#linesOf(record))?.includes(best.line) === true) return record;
    return undefined;
  }

  #recordOf(id: CheckpointId): Promise<CheckpointRecord | undefined> {
    return cached(this.#records, id, () => findCheckpoint(this.#ports.catalog, id));
  }

  async #linesOf(record: CheckpointRecord): Promise<readonly string[] | undefined> {
    return (await this.#textsOf(record))?.lines;
  }

  #textsOf(record: CheckpointRecord): Promise<ReadTexts | undefined> {
    return cached(this.#texts, record.id, () => this.#readTexts(record));
  }

  async #readTexts(record: CheckpointRecord): Promise<ReadTexts | undefined> {
    if (record.contextBytes > (this.#input.mostBytes ?? Number.POSITIVE_INFINITY)) return undefined;
    try {
      return new ReadTexts(searchableTextsOf(record, (await readContext(this.#ports, record)).context));
    } catch (error) {
      if (!isItsOwnFault(error)) throw error;
      return undefined;
    }
  }

  #sessionOf(id: SessionId): ReturnType<typeof findSessionAndHead> {
    return cached(this.#sessions, id, () => findSessionAndHead(this.#ports.catalog, id));
  }
}

/** A hit before its session is read. */
type Match = Omit<FoundCheckpoint, "session" | "head">;

interface CollectOptions {
  readonly filter: IndexFilter;
  /** Smallest score to include. */
  readonly leastScore: number;
}

function scoreOf({ score }: FoundCheckpoint): number {
  return score;
}

function wantedOf(terms: readonly AskedTerm[]): Wanted {
  return { terms: new Map(terms.map(({ term, weight }) => [term, weight * Math.sqrt(term.length)])) };
}

function substitutesOf(terms: readonly AskedTerm[]): Wanted {
  const others = terms.flatMap(({ instead, weight }) => (instead?.terms ?? []).map((term): [string, number] => [term, weight]));
  return { terms: new Map(others), beginnings: terms.flatMap(({ instead }) => instead?.beginning ?? []) };
}

function cached<K, V>(cache: Map<K, V>, key: K, make: () => V): V {
  const value = cache.get(key) ?? make();
  cache.set(key, value);
  return value;
}
