import type { Answers, CatalogPort, SelectSessions, SessionId } from "@workrail/core";
import { mergedSession } from "./merged-answer.ts";
import type { RetainedMemory } from "./retained-memory.ts";
import { isStorageFailure } from "./storage-failure.ts";

type ListedSession = Answers["sessions"][number];

/** Lists sessions of memory and of the catalog below, each once, the least recently used first. */
export async function listedSessions(
  memory: RetainedMemory,
  read: SelectSessions,
  below: () => Promise<CatalogPort>,
): Promise<readonly ListedSession[]> {
  const { where, limit, after } = read;
  const held = memory.sessions();
  const ours = await Promise.all(held.map((id) => sessionOf(memory, { ...read, id }, below)));
  const theirs = await ifReadable(async () => {
    return (await (await below()).read({ rows: { ...read, limit: limit + held.length } })).rows;
  }, []);
  const wanted = ours.filter((row) => {
    return (
      row !== undefined &&
      (where.unusedSince === undefined || row.lastAccessedAt <= where.unusedSince) &&
      (where.withoutTag === undefined || !row.tags.includes(where.withoutTag)) &&
      (after === undefined || isBefore(after, [row.lastAccessedAt, row.id]))
    );
  });
  const all = [...theirs.filter(({ id }) => !held.includes(id)), ...wanted.filter((row) => row !== undefined)];
  const place = ({ lastAccessedAt, id }: ListedSession): Place => [lastAccessedAt, id];
  return all.toSorted((one, other) => (isBefore(place(one), place(other)) ? -1 : 1)).slice(0, limit);
}

type Place = readonly [at: Date, id: string];

/** Returns a session with data in memory; `undefined` when it holds nothing, or nothing of the wanted project. */
async function sessionOf(
  memory: RetainedMemory,
  { id, where: { has, project } }: SelectSessions & { readonly id: SessionId },
  below: () => Promise<CatalogPort>,
): Promise<ListedSession | undefined> {
  const reads = {
    row: { of: "session", id },
    damagedCount: { of: "count", where: { state: "live", sessionId: id, damaged: true } },
    matching: { of: "count", where: { state: "live", sessionId: id, project } },
  } as const;
  const above = { row: memory.answer(reads.row), matching: memory.answer(reads.matching) };
  const theirs = await ifReadable(async () => (await below()).read(reads), { row: undefined, damagedCount: 0, matching: 0 });
  const row = mergedSession(memory, above.row, theirs.row);
  if (row === undefined || has === "nothing") return undefined;
  const isWanted = (has === undefined && project === undefined) || above.matching + theirs.matching > 0;
  return isWanted ? { ...row, damagedCount: theirs.damagedCount } : undefined;
}

async function ifReadable<T>(read: () => Promise<T>, otherwise: T): Promise<T> {
  try {
    return await read();
  } catch (error) {
    if (isStorageFailure(error)) return otherwise;
    throw error;
  }
}

function isBefore([at, id]: Place, [otherAt, otherId]: Place): boolean {
  return at.getTime() === otherAt.getTime() ? id < otherId : at < otherAt;
}
