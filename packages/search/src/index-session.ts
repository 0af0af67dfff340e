import {
  type ChangedSession,
  CHECKPOINT_KINDS,
  type CheckpointId,
  type CheckpointRecord,
  eachRecord,
  type IndexChange,
  isItsOwnFault,
  isUnreadableBlob,
  type Locking,
  ownerOf,
  readContext,
  type ReadPorts,
  type SearchIndexing,
  type SessionId,
  type TextOfCheckpoint,
  findCheckpoint,
  findSession,
} from "@workrail/core";
import { linesOf, linesToIndex, searchableTextsOf } from "./checkpoint-text.ts";
import { type Findable, firstLinks, type IndexingPlan, type Link, linked, planIndexing } from "./plan-indexing.ts";
import { type Words, wordsOf } from "./terms.ts";

export interface IndexPorts extends ReadPorts {
  readonly locking: Locking;
  readonly search: SearchIndexing;
  /** Awaited between CPU-bound jobs, so that others can work in between. */
  readonly pause: () => Promise<void>;
}

/** Checkpoints written to the index at once. */
const BATCH = 64;
/** Bytes of contexts read for one batch: closing the store waits for it. */
const BATCH_BYTES = 1024 * 1024;
const PAGE = 200;
/** Characters of text processed between two pauses. */
const PIECE = 100_000;
/** Most characters indexed per checkpoint: the text is in memory several times. */
const MOST_TEXT = 16 * 1024 * 1024;

/**
 * Brings the index of a session in line with its live checkpoints, each with the lines that its live predecessor lacks. Several
 * processes may do so at the same time; the work may be stopped at any moment, and repeated.
 *
 * @returns `more`: another process changed the index meanwhile, or there is more to do: call again. `unreadable`: everything
 * possible is done; checkpoints that the system could not read are to be retried later.
 * @throws STORAGE_UNAVAILABLE
 */
export async function indexSession(ports: IndexPorts, changed: ChangedSession): Promise<"done" | "more" | "unreadable"> {
  const { sessionId } = changed;
  return ports.locking.shared(async () => {
    const session = await findSession(ports.catalog, sessionId);
    const { plan, version } = changed.isExtended ? await planExtension(ports, sessionId) : await planWhole(ports, sessionId);
    const now = firstLinks(plan.add, BATCH, BATCH_BYTES);
    const remove = plan.remove;
    const { texts: add, unreadable } = await textsOf(ports, now);
    const isAll = now.length === plan.add.length;
    const isDone = isAll && unreadable === 0;
    const change: IndexChange = { sessionId, version, remove, add, sessionTags: session?.tags ?? [], isDone };
    if (!(await ports.search.update(change))) return "more";
    // An incremental update would not look behind the newest indexed checkpoint, so the session is noted for a full one.
    if (unreadable > 0) await ports.search.note({ sessions: [{ sessionId, isExtended: false }] });
    if (unreadable > 0 && (isAll || unreadable === now.length)) return "unreadable";
    return isDone ? "done" : "more";
  });
}

interface Planned {
  readonly plan: IndexingPlan;
  readonly version: number;
}

async function planWhole(ports: IndexPorts, sessionId: SessionId): Promise<Planned> {
  const { version, checkpoints } = await ports.search.indexed(sessionId);
  const live: Findable[] = [];
  for await (const record of newestFirst(ports, sessionId)) {
    if (!record.damaged && ownerOf(record) === undefined) live.push(findable(record));
    if (live.length % PAGE === 0) await ports.pause();
  }
  return { version, plan: planIndexing(linked(live.toReversed()), checkpoints) };
}

/** Plans only the checkpoints after the newest indexed one, and its predecessor. */
async function planExtension(ports: IndexPorts, sessionId: SessionId): Promise<Planned> {
  const { version, checkpoints } = await ports.search.indexed(sessionId, 1);
  const newest = checkpoints.at(-1)?.sequence ?? 0;
  const added: Findable[] = [];
  let before: Findable | undefined;
  for await (const record of newestFirst(ports, sessionId)) {
    if (record.damaged || ownerOf(record) !== undefined) continue;
    if (record.sequence > newest) added.push(findable(record));
    else if (record.kind !== "aside") {
      before = findable(record);
      break;
    }
    if (added.length % PAGE === 0) await ports.pause();
  }
  return { version, plan: { remove: [], add: linked(added.toReversed(), before) } };
}

function newestFirst({ catalog }: IndexPorts, sessionId: SessionId): AsyncGenerator<CheckpointRecord> {
  return eachRecord(catalog, { sessionId, kinds: CHECKPOINT_KINDS }, PAGE);
}

/** Keeps only the needed fields, because many are in memory at once. */
function findable({ id, sequence, kind, contextBytes }: CheckpointRecord): Findable {
  return { id, sequence, kind, contextBytes };
}

async function textsOf(
  ports: IndexPorts,
  links: readonly Link[],
): Promise<{ readonly texts: readonly TextOfCheckpoint[]; readonly unreadable: number }> {
  const texts: TextOfCheckpoint[] = [];
  let unreadable = 0;
  let last: { readonly id: CheckpointId; readonly lines: readonly string[] } | undefined;
  for (const { checkpoint, previous } of links) {
    const record = await findCheckpoint(ports.catalog, checkpoint.id);
    // It was removed meanwhile, which is another change to follow.
    if (record === undefined) continue;
    const lines = await linesOfRecord(ports, record);
    if (lines === undefined) {
      unreadable += 1;
      continue;
    }
    const known = new Set(previous?.id === last?.id ? last?.lines : await linesOfPrevious(ports, previous));
    const words = await wordsIn(linesToIndex(record, lines, known), ports.pause);
    texts.push(textOf(record, { sequence: checkpoint.sequence, previous: previous?.sequence ?? 0, ...words }));
    if (checkpoint.kind !== "aside") last = { id: checkpoint.id, lines };
  }
  return { texts, unreadable };
}

async function linesOfPrevious(ports: IndexPorts, previous: Findable | undefined): Promise<readonly string[]> {
  const record = previous === undefined ? undefined : await findCheckpoint(ports.catalog, previous.id);
  return record === undefined ? [] : ((await linesOfRecord(ports, record)) ?? []);
}

/** Returns no lines for a damaged checkpoint, which cannot be loaded; `undefined` when the system could not read it now. */
async function linesOfRecord(ports: IndexPorts, record: CheckpointRecord): Promise<readonly string[] | undefined> {
  await ports.pause();
  try {
    return await linesOfTexts(searchableTextsOf(record, (await readContext(ports, record)).context, MOST_TEXT), ports.pause);
  } catch (error) {
    if (!isItsOwnFault(error)) throw error;
    return isUnreadableBlob(error) ? undefined : [];
  }
}

async function linesOfTexts(texts: readonly string[], pause: () => Promise<void>): Promise<string[]> {
  const lines: string[] = [];
  let characters = 0;
  let paused = 0;
  for (const text of texts) {
    if (characters > MOST_TEXT) break;
    for (const line of linesOf([text.slice(0, MOST_TEXT - characters)])) lines.push(line);
    characters += text.length;
    if (characters - paused < PIECE) continue;
    paused = characters;
    await pause();
  }
  return lines;
}

async function wordsIn(lines: readonly string[], pause: () => Promise<void>): Promise<Words> {
  const terms: string[] = [];
  const stopWords = new Set<string>();
  let since = 0;
  for (const line of lines) {
    const words = wordsOf(line);
    for (const term of words.terms) terms.push(term);
    for (const word of words.stopWords) stopWords.add(word);
    since += line.length;
    if (since < PIECE) continue;
    since = 0;
    await pause();
  }
  return { terms, stopWords };
}

function textOf(
  record: CheckpointRecord,
  { sequence, previous, terms, stopWords }: Words & Pick<TextOfCheckpoint, "sequence" | "previous">,
): TextOfCheckpoint {
  const { id: checkpointId, kind, createdAt, project, agentId, workflowId, tags } = record;
  return { checkpointId, sequence, previous, terms, stopWords: [...stopWords], kind, createdAt, project, agentId, workflowId, tags };
}
