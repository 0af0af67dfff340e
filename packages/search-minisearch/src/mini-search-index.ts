import {
  type AskedTerm,
  type ChangedSession,
  type ChangePosition,
  type CheckpointId,
  type IndexChange,
  type IndexedSession,
  type IndexFilter,
  type IndexNews,
  type IndexQuery,
  type IndexState,
  type Substitute,
  isAlike,
  type Matches,
  type SearchEngine,
  type SessionId,
  type TextOfCheckpoint,
  type WeightedTerm,
} from "@workrail/core";
import { ALL_TERMS, BM25, rarePreference, rarity, substituteWeight, weighRelated } from "@workrail/search";
import MiniSearch from "minisearch";

/** Indexed texts of one session. */
interface IndexedTexts {
  version: number;
  tags: readonly string[];
  /** Texts in the order of their sequence. */
  texts: readonly IndexedText[];
}

type IndexedText = Omit<TextOfCheckpoint, keyof Words> & { readonly sessionId: SessionId };

/** Separate fields, so that stop-words do not count for the length of a text. */
type Words = Pick<TextOfCheckpoint, "terms" | "stopWords">;

/** Constants of MiniSearch's BM25+: saturation of frequent terms, weight of the text length, and no added constant (`d`). */
const CONSTANTS = { k: BM25.saturation, b: BM25.length, d: 0 } as const;
/** MiniSearch's score of a text saturated with a term, per unit of the term's rarity. */
const FULL = BM25.saturation + 1;
/** Maximum number of texts with a term for which its substitutes are also searched. Later results are too far down to be paged to. */
const ENOUGH_WHOLE = 100;
/** Number of best hits that `related` terms rerank. */
const RERANKED = 200;

/** Creates a search index in the memory of this process, for a storage without an index of its own. Each process builds it anew. */
export function miniSearchIndex(): SearchEngine {
  return new MiniSearchIndex();
}

/** Scores for a query. */
interface Ranked {
  /** Score of a text saturated with the terms. */
  readonly most: number;
  readonly scores: ReadonlyMap<CheckpointId, number>;
  /** Texts with a rare term; `bonus` is the extra score of each. */
  readonly rare: ReadonlySet<CheckpointId>;
  readonly bonus: number;
}

class MiniSearchIndex implements SearchEngine {
  #mini = emptyIndex();
  #sessions = new Map<SessionId, IndexedTexts>();
  #texts = new Map<CheckpointId, IndexedText>();
  #pending = new Map<SessionId, boolean>();
  #position: ChangePosition | undefined;
  #changes = 0;

  async state(): Promise<IndexState> {
    return { position: this.#position, pending: this.#pending.size };
  }

  async note({ position, sessions, restart = false }: IndexNews): Promise<void> {
    if (restart) this.#forget();
    for (const { sessionId, isExtended } of sessions) {
      this.#pending.set(sessionId, isExtended && this.#pending.get(sessionId) !== false);
      this.#entry(sessionId).version = ++this.#changes;
    }
    this.#position = position ?? this.#position;
  }

  async pending(limit: number): Promise<readonly ChangedSession[]> {
    return [...this.#pending].slice(0, limit).map(([sessionId, isExtended]) => ({ sessionId, isExtended }));
  }

  async indexed(session: SessionId, newest?: number): Promise<IndexedSession> {
    const entry = this.#sessions.get(session);
    const texts = newest === undefined ? (entry?.texts ?? []) : (entry?.texts ?? []).slice(-newest);
    const checkpoints = texts.map(({ checkpointId, sequence, previous }) => ({ checkpointId, sequence, previous }));
    return { version: entry?.version ?? 0, checkpoints };
  }

  async update({ sessionId, version, remove, add, sessionTags, isDone }: IndexChange): Promise<boolean> {
    if ((this.#sessions.get(sessionId)?.version ?? 0) !== version) return false;
    const entry = this.#entry(sessionId);
    const removed = new Set(remove);
    for (const id of remove) this.#remove(id);
    for (const text of add) this.#add(text, sessionId);
    const kept = entry.texts.filter(({ checkpointId }) => !removed.has(checkpointId));
    const added = add.map((text) => labelsOf(text, sessionId));
    entry.texts = [...kept, ...added].sort((one, other) => one.sequence - other.sequence);
    entry.tags = sessionTags;
    entry.version = ++this.#changes;
    if (isDone) this.#pending.delete(sessionId);
    if (entry.texts.length === 0 && !this.#pending.has(sessionId)) this.#sessions.delete(sessionId);
    return true;
  }

  async match({ terms, required, filter }: IndexQuery): Promise<Matches> {
    const { most: mostOfTerms, scores, rare, bonus } = this.#ranked(terms, required.length > 0);
    const most = mostOfTerms + bonus;
    const having = required.map((term) => this.#found(term));
    const found = [...scores]
      .filter(([id]) => having.every((texts) => texts.has(id)))
      .map(([id, score]) => ({ text: this.#texts.get(id) as IndexedText, score }));
    const hits = this.#meeting(found, filter).sort(
      (one, other) => other.score - one.score || other.text.createdAt.getTime() - one.text.createdAt.getTime(),
    );
    return {
      page: async ({ related = [], offset, limit, project }) =>
        this.#reranked(project === undefined ? hits : this.#meeting(hits, { ...filter, project }), { related, rare, bonus })
          .slice(offset, offset + limit)
          .map(({ text: { checkpointId, sessionId, sequence }, score }) => {
            return { checkpointId, sessionId, sequence, score: Math.min(1, score / most) };
          }),
    };
  }

  async termsLike(term: string, most: number): Promise<readonly string[]> {
    const longer = this.#alike(term, { prefix: true }).filter((other) => other !== term && other.startsWith(term));
    if (longer.length > 0) return longer.slice(0, most);
    return this.#alike(term, { fuzzy: 2 })
      .filter((other) => isAlike(term, other))
      .slice(0, most);
  }

  async tidy(): Promise<boolean> {
    return false;
  }

  async erase(): Promise<void> {
    this.#forget();
  }

  async close(): Promise<void> {
    this.#forget();
  }

  #forget(): void {
    this.#mini = emptyIndex();
    this.#sessions = new Map();
    this.#texts = new Map();
    this.#pending = new Map();
    this.#position = undefined;
  }

  #entry(id: SessionId): IndexedTexts {
    const entry = this.#sessions.get(id) ?? { version: 0, tags: [], texts: [] };
    this.#sessions.set(id, entry);
    return entry;
  }

  #add(text: TextOfCheckpoint, sessionId: SessionId): void {
    this.#remove(text.checkpointId);
    if (text.terms.length === 0 && text.stopWords.length === 0) return;
    this.#mini.add({ id: text.checkpointId, terms: text.terms, stopWords: text.stopWords });
    this.#texts.set(text.checkpointId, labelsOf(text, sessionId));
  }

  #remove(id: CheckpointId): void {
    if (this.#texts.delete(id)) this.#mini.discard(id);
  }

  /** Scores each text that has at least one term or a substitute for one. */
  #ranked(terms: readonly AskedTerm[], isOfPhrases: boolean): Ranked {
    const texts = this.#mini.documentCount;
    const asked = terms.map((each) => {
      const found = this.#found(each.term);
      return { ...each, found, texts: found.size, weight: each.weight * rarity(found.size, texts) * FULL, asked: each.weight };
    });
    const preference = isOfPhrases ? undefined : rarePreference(asked, texts);
    const bonus = preference?.bonus ?? 0;
    const rare = new Set(
      bonus === 0 ? [] : asked.flatMap(({ found }) => (preference?.isRare(found.size) === true ? [...found.keys()] : [])),
    );
    const most = asked.reduce((sum, { weight }) => sum + weight, 0);
    const scores = new Map<CheckpointId, number>();
    const add = (id: CheckpointId, more: number): void => void scores.set(id, (scores.get(id) ?? 0) + more);
    for (const { asked: weight, found } of asked) for (const [id, score] of found) add(id, weight * score);
    let isAnyInstead = false;
    for (const { instead, found, asked: weight } of asked) {
      for (const [id, score] of this.#foundInstead(instead, found, terms.length === 1)) {
        isAnyInstead = true;
        add(id, weight * score);
      }
    }
    const known = asked.filter(({ found }) => found.size > 0);
    if (known.length > 1 || (known.length === 1 && isAnyInstead)) {
      const [first, ...others] = known.map(({ found }) => found);
      for (const id of first?.keys() ?? []) if (others.every((found) => found.has(id))) add(id, ALL_TERMS * (most + bonus));
    }
    for (const id of rare) add(id, bonus);
    return { most, scores, rare, bonus };
  }

  /** Returns the score of each text with the term. */
  #found(term: string): Map<CheckpointId, number> {
    // The first search for a term forgets its removed texts, but counts them in the scores.
    if (this.#mini.dirtCount > 0) this.#mini.search(term, AS_GIVEN);
    return new Map(this.#mini.search(term, AS_GIVEN).map(({ id, score }) => [id as CheckpointId, score]));
  }

  /** Scores the texts that lack the term and have a substitute for it. */
  #foundInstead(instead: Substitute | undefined, whole: ReadonlyMap<CheckpointId, number>, isAlone: boolean): Map<CheckpointId, number> {
    const scores = new Map<CheckpointId, number>();
    if (instead === undefined || whole.size > ENOUGH_WHOLE) return scores;
    const { terms, beginning } = instead;
    const longer = beginning === undefined ? [] : this.#alike(beginning, { prefix: true }).filter((term) => term.startsWith(beginning));
    const texts = this.#mini.documentCount;
    for (const [isBeginning, words] of [[false, terms] as const, [true, longer] as const]) {
      const found = new Map<CheckpointId, number>();
      for (const word of words) {
        const having = this.#found(word);
        // The score already contains the rarity of the substitute; divided out here.
        for (const [id, score] of having) {
          if (!whole.has(id) && !scores.has(id)) found.set(id, Math.max(found.get(id) ?? 0, score / rarity(having.size, texts)));
        }
      }
      const rare = rarity(whole.size + scores.size + found.size, texts);
      const share = substituteWeight({ isBeginning, isOnly: isAlone && whole.size > 0 });
      for (const [id, part] of found) scores.set(id, share * rare * part);
    }
    return scores;
  }

  /** Returns the hits that meet the filter. */
  #meeting<Hit extends { readonly text: IndexedText }>(hits: readonly Hit[], filter: IndexFilter): Hit[] {
    const newest = new Map<SessionId, number>();
    return hits.filter(({ text }) => text.sequence <= this.#newestMeeting(text.sessionId, filter, newest));
  }

  #reranked<Hit extends { readonly text: IndexedText; readonly score: number }>(
    hits: readonly Hit[],
    { related, rare, bonus }: Pick<Ranked, "rare" | "bonus"> & { readonly related: readonly WeightedTerm[] },
  ): readonly Hit[] {
    if (related.length === 0) return hits;
    const known = related.map((each) => ({ ...each, found: this.#found(each.term) }));
    const texts = this.#mini.documentCount;
    const weighed = weighRelated(
      known.map((each) => ({ ...each, texts: each.found.size })),
      texts,
    );
    const more = new Map<CheckpointId, number>();
    for (const { term, worth } of weighed) {
      // The score already contains the rarity.
      const share = worth / rarity(term.texts, texts);
      for (const [id, score] of term.found) more.set(id, (more.get(id) ?? 0) + share * score);
    }
    const best = hits.slice(0, RERANKED).map((hit) => {
      const score = hit.score + (more.get(hit.text.checkpointId) ?? 0);
      // Related terms cannot outweigh a rare term.
      const isLimited = bonus > 0 && !rare.has(hit.text.checkpointId);
      return { ...hit, score: isLimited ? Math.max(hit.score, Math.min(score, bonus)) : score };
    });
    return [...best.sort((one, other) => other.score - one.score), ...hits.slice(RERANKED)];
  }

  #alike(term: string, how: { readonly prefix?: boolean; readonly fuzzy?: number }): string[] {
    const counts = new Map<string, number>();
    for (const { terms } of this.#mini.search(term, { ...AS_GIVEN, ...how })) {
      for (const found of terms) counts.set(found, (counts.get(found) ?? 0) + 1);
    }
    return [...counts].sort(([, one], [, other]) => other - one).map(([found]) => found);
  }

  /** Returns the sequence of the newest checkpoint of a session that meets the filter, or 0 without one. */
  #newestMeeting(session: SessionId, filter: IndexFilter, known: Map<SessionId, number>): number {
    const before = known.get(session);
    if (before !== undefined) return before;
    const entry = this.#sessions.get(session);
    const newest = entry?.texts.findLast((text) => meets(text, entry.tags, filter))?.sequence ?? 0;
    known.set(session, newest);
    return newest;
  }
}

/** Search options without processing: terms arrive in their indexed form. */
const AS_GIVEN = { tokenize: (text: string) => [text], processTerm: (term: string) => term, bm25: CONSTANTS };

/** Returns a text without its words, which only MiniSearch needs. */
function labelsOf({ terms, stopWords, ...labels }: TextOfCheckpoint, sessionId: SessionId): IndexedText {
  void [terms, stopWords];
  return { ...labels, sessionId };
}

function emptyIndex(): MiniSearch<Words & { readonly id: CheckpointId }> {
  return new MiniSearch({
    fields: ["terms", "stopWords"],
    storeFields: [],
    extractField: (document, field) => document[field as "id"],
    stringifyField: (value) => value as string,
    tokenize: (terms) => terms as unknown as string[],
    processTerm: (term) => term,
  });
}

function meets(text: IndexedText, sessionTags: readonly string[], filter: IndexFilter): boolean {
  const { sessionId, project, tags = [], since, until, workflowId, agentId, kinds } = filter;
  return (
    (kinds === undefined ? text.kind !== "aside" : kinds.includes(text.kind)) &&
    (sessionId === undefined || text.sessionId === sessionId) &&
    (project === undefined || text.project === project) &&
    (workflowId === undefined || text.workflowId === workflowId) &&
    (agentId === undefined || text.agentId === agentId) &&
    (since === undefined || text.createdAt >= since) &&
    (until === undefined || text.createdAt <= until) &&
    tags.every((tag) => text.tags.includes(tag) || sessionTags.includes(tag))
  );
}
