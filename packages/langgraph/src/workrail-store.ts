import {
  BaseStore,
  type GetOperation,
  type Item,
  JsonPlusSerializer,
  type ListNamespacesOperation,
  type Operation,
  type OperationResults,
  type PutOperation,
  type SearchItem,
  type SearchOperation,
  type SerializerProtocol,
} from "@langchain/langgraph-checkpoint";
import { isWorkrailError, parseJson, parseSessionId, type SessionId } from "@workrail/core";
import type { CheckpointMetadata as SavedMetadata, EachCheckpointParams, SearchHit, Workrail } from "@workrail/runtime";
import { meetsFilter } from "./item-filter.ts";
import { isIndexed, itemCreatedAt, itemLabels, type ItemPlace, itemPlaceIn, itemTag, meetsCondition, tagsUnder } from "./item-place.ts";
import { isMissing, unlessMissing } from "./missing.ts";
import { fromTypedValue, toTypedValue, type TypedValue } from "./typed-value.ts";

/** Operations of a store of Workrail that the store of items uses. */
export type ItemStore = Pick<
  Workrail,
  "saveCheckpoint" | "loadTexts" | "findCheckpoints" | "eachCheckpoint" | "searchCheckpoints" | "erase"
>;

export interface WorkrailStoreOptions {
  /** The session that holds the items. No thread may have this id. Default `langgraph-store`. */
  readonly sessionId?: string | undefined;
  /** Default: LangGraph's serialiser. */
  readonly serde?: SerializerProtocol | undefined;
  /** Overwrites the files of deleted and replaced items, as `erase` of the store does by default. Default `false`: they are unlinked. */
  readonly overwriteOnDelete?: boolean | undefined;
}

/** Marks the versions of items. */
const WORKFLOW = "langgraph-store";
/** Replaced versions of an item that may gather before they are erased: a put is one save then, mostly. */
const MOST_REPLACED = 16;
/** Most items loaded at once by a search. */
const BATCH = 50;
/** The store finds no more at once. */
const MOST_HITS = 100;
const LONGEST_QUERY = 1_000;

/** A version of an item that a search found. */
interface Found {
  readonly saved: SavedMetadata;
  readonly score?: number;
}

/**
 * Keeps the long-term memory of LangGraph's graphs in a Workrail store. Each put is durable when it resolves, and the last one of an item
 * wins. Several processes may use the items. The store of Workrail is not closed.
 */
export class WorkrailStore extends BaseStore {
  readonly #store: ItemStore;
  readonly #sessionId: SessionId;
  readonly #serde: SerializerProtocol;
  readonly #overwrites: boolean;

  constructor(store: ItemStore, options: WorkrailStoreOptions = {}) {
    const { sessionId = "langgraph-store", serde = new JsonPlusSerializer(), overwriteOnDelete = false } = options;
    super();
    this.#store = store;
    this.#sessionId = parseSessionId(sessionId);
    this.#serde = serde;
    this.#overwrites = overwriteOnDelete;
  }

  /** Answers the reads, then does the puts. The last of several puts of one item counts. */
  override async batch<Op extends Operation[]>(operations: Op): Promise<OperationResults<Op>> {
    const results = await Promise.all(operations.map(async (operation) => this.#read(operation)));
    const puts = new Map(
      operations.flatMap((each): [string, PutOperation][] => ("value" in each ? [[itemTag(this.#sessionId, each), each]] : [])),
    );
    await Promise.all([...puts.values()].map((put) => (put.value === null ? this.#delete(put) : this.#put(put))));
    return results as OperationResults<Op>;
  }

  async #read(operation: Operation): Promise<Item | null | SearchItem[] | string[][] | undefined> {
    if ("value" in operation) return undefined;
    if ("namespacePrefix" in operation) return this.#search(operation);
    return "namespace" in operation ? this.#get(operation) : this.#namespaces(operation);
  }

  async #put(put: PutOperation): Promise<void> {
    const replaced = await this.#versions(put, MOST_HITS);
    const [newest] = replaced;
    const createdAt = newest && itemCreatedAt(newest);
    await this.#store.saveCheckpoint({
      sessionId: this.#sessionId,
      context: JSON.stringify(await toTypedValue(this.#serde, put.value)),
      metadata: itemLabels(this.#sessionId, put, { createdAt, isIndexed: put.index !== false }),
      workflowId: WORKFLOW,
      parentId: null,
      retention: "all",
      force: true,
      secrets: "off",
      reportsDropped: false,
    });
    if (replaced.length >= MOST_REPLACED) await this.#eraseReplaced(replaced);
  }

  async #delete(place: ItemPlace): Promise<void> {
    for (;;) {
      const versions: SavedMetadata[] = [];
      for await (const saved of this.#store.eachCheckpoint(this.#of(place))) versions.push(saved);
      try {
        await this.#erase(versions);
        return;
      } catch (error) {
        // Another process erased some of them meanwhile, and this call none.
        if (!isMissing(error)) throw error;
      }
    }
  }

  async #erase(versions: readonly SavedMetadata[]): Promise<void> {
    if (versions.length > 0) await this.#store.erase({ checkpointIds: versions.map(({ id }) => id), overwrites: this.#overwrites });
  }

  /** Keeps the versions in a read-only store, and on a node whose token has not the scope `admin`. */
  async #eraseReplaced(versions: readonly SavedMetadata[]): Promise<void> {
    await this.#erase(versions).catch((error: unknown) => {
      if (!isReadOnly(error)) unlessMissing(error);
    });
  }

  async #get(place: GetOperation): Promise<Item | null> {
    for (;;) {
      const [saved] = await this.#versions(place, 1);
      if (saved === undefined) return null;
      const value = (await this.#values([saved])).get(saved.id);
      // It may have been replaced and erased meanwhile.
      if (value !== undefined) return itemOf(saved, value);
    }
  }

  async #search({ namespacePrefix: prefix, filter = {}, query = "", limit = 10, offset = 0 }: SearchOperation): Promise<SearchItem[]> {
    const items: SearchItem[] = [];
    let batch: Found[] = [];
    const size = Math.min(BATCH, Math.max(10, offset + limit));
    const take = async (): Promise<void> => {
      for (const item of await this.#items(batch)) if (meetsFilter(item.value, filter)) items.push(item);
      batch = [];
    };
    for await (const found of query.trim() === "" ? this.#under(prefix) : this.#about(query, prefix)) {
      if (items.length >= offset + limit) break;
      if (batch.push(found) === size) await take();
    }
    await take();
    return items.slice(offset, offset + limit);
  }

  /** Yields the newest version of each item under a prefix, the last put first. */
  async *#under(prefix: readonly string[], replaced: SavedMetadata[] = []): AsyncGenerator<Found> {
    const seen = new Set<string>();
    for await (const saved of this.#saved(tagsUnder(prefix))) {
      const place = itemPlaceIn(saved);
      if (!meetsCondition(place.namespace, { matchType: "prefix", path: [...prefix] })) continue;
      const tag = tagOf(saved);
      if (seen.has(tag)) replaced.push(saved);
      else yield { saved };
      seen.add(tag);
    }
  }

  /** Yields the items with words of a query, the best first. */
  async *#about(query: string, prefix: readonly string[]): AsyncGenerator<Found> {
    const items: SavedMetadata[] = [];
    const replaced: SavedMetadata[] = [];
    for await (const { saved } of this.#under(prefix, replaced)) items.push(saved);
    // A replaced version may have words that the item no longer has.
    await this.#eraseReplaced(replaced);
    const hits = await this.#hits(query, tagsUnder(prefix), MOST_HITS);
    const inOrder = items.toSorted((one, other) => one.sequence - other.sequence).map((saved) => ({ saved, tag: tagOf(saved) }));
    const places = new Map(inOrder.map(({ tag }, index) => [tag, index]));
    const left = new Set(places.keys());
    const direct = new Set(hits.map(({ checkpoint }) => tagOf(checkpoint)));
    for (const hit of hits) {
      for (let found: SearchHit | undefined = hit; found !== undefined;) {
        const { checkpoint, score }: SearchHit = found;
        const index = places.get(tagOf(checkpoint));
        const item = index === undefined ? undefined : inOrder[index];
        if (index === undefined || item === undefined) break;
        if (left.delete(item.tag) && isIndexed(item.saved)) yield { saved: item.saved, score };
        // A line that was put twice in a row is a hit only once: ask for the item that follows by itself.
        const next = inOrder[index + 1];
        const isOpen = next !== undefined && left.has(next.tag) && !direct.has(next.tag);
        [found] = isOpen ? await this.#hits(query, [next.tag], 1) : [];
      }
    }
  }

  async #hits(query: string, tags: readonly string[], limit: number): Promise<readonly SearchHit[]> {
    const sessionId = this.#sessionId;
    return (await this.#store.searchCheckpoints({ query: query.slice(0, LONGEST_QUERY), sessionId, workflowId: WORKFLOW, tags, limit }))
      .hits;
  }

  async #namespaces({ matchConditions = [], maxDepth, limit, offset }: ListNamespacesOperation): Promise<string[][]> {
    const prefix = matchConditions.find(({ matchType, path }) => matchType === "prefix" && !path.includes("*"))?.path ?? [];
    const found = new Map<string, string[]>();
    for await (const saved of this.#saved(tagsUnder(prefix))) {
      const { namespace } = itemPlaceIn(saved);
      if (!matchConditions.every((condition) => meetsCondition(namespace, condition))) continue;
      const part = namespace.slice(0, maxDepth);
      found.set(JSON.stringify(part), part);
    }
    const sorted = [...found.values()].toSorted((one, other) => one.join(":").localeCompare(other.join(":")));
    return sorted.slice(offset, offset + limit);
  }

  async #versions(place: ItemPlace, limit: number): Promise<readonly SavedMetadata[]> {
    return (await this.#store.findCheckpoints({ ...this.#of(place), limit })).checkpoints;
  }

  #of(place: ItemPlace): EachCheckpointParams {
    return { project: null, workflowId: WORKFLOW, tags: [itemTag(this.#sessionId, place)] };
  }

  /** Yields the labels of versions without loading them, newest first. */
  #saved(tags: readonly string[]): AsyncIterable<SavedMetadata> {
    return this.#store.eachCheckpoint({ sessionId: this.#sessionId, workflowId: WORKFLOW, tags });
  }

  /** Loads items in the given order; those deleted meanwhile are left out, and of those replaced the new version is loaded. */
  async #items(found: readonly Found[]): Promise<readonly SearchItem[]> {
    const values = await this.#values(found.map(({ saved }) => saved));
    const items: SearchItem[] = [];
    for (const { saved, ...score } of found) {
      const value = values.get(saved.id);
      const { namespace, key } = itemPlaceIn(saved);
      const item = value === undefined ? await this.#get({ namespace: [...namespace], key }) : itemOf(saved, value);
      if (item !== null) items.push({ ...item, ...score });
    }
    return items;
  }

  /** Loads values by the ids of their versions, without those erased meanwhile. */
  async #values(versions: readonly SavedMetadata[]): Promise<ReadonlyMap<string, Item["value"]>> {
    const values = new Map<string, Item["value"]>();
    if (versions.length === 0) return values;
    const { checkpoints, failed } = await this.#store.loadTexts({ ids: versions.map(({ id }) => id) });
    const failure = failed.find(({ error }) => !isMissing(error));
    if (failure !== undefined) throw failure.error;
    for (const { checkpointId, text } of checkpoints) {
      values.set(checkpointId, (await fromTypedValue(this.#serde, parseJson(text) as unknown as TypedValue)) as Item["value"]);
    }
    return values;
  }
}

function isReadOnly(error: unknown): boolean {
  return isWorkrailError(error) && error.code === "READ_ONLY";
}

function tagOf(saved: SavedMetadata): string {
  return itemTag(saved.sessionId, itemPlaceIn(saved));
}

function itemOf(saved: SavedMetadata, value: Item["value"]): Item {
  const { namespace, key } = itemPlaceIn(saved);
  return { namespace: [...namespace], key, value, createdAt: new Date(itemCreatedAt(saved)), updatedAt: new Date(saved.createdAt) };
}
