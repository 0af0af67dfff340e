import path from "node:path";
import { type Context, type ForeignCheckpoint, type ForeignSession, isStorablePath, type JsonObject, type JsonValue } from "@workrail/core";
import { Entries } from "./entries.ts";
import { foreignCheckpointId, foreignSessionId } from "./foreign-ids.ts";
import type { ForeignRow, ForeignTables } from "./foreign-tables.ts";
import { latestOf, parseForeignTime } from "./foreign-time.ts";
import { type KeeperRows, readKeeperRows } from "./keeper-rows.ts";

const SOURCE = "mcp-memory-keeper";
/** Maximum characters of a foreign id stored with a checkpoint. */
const LONGEST_ID = 200;
/** Maximum characters of JSON of a session's checkpoints. An import holds them all in memory. */
const MAX_TEXT_LENGTH = 128 * 1024 * 1024;

export interface KeeperSession {
  /** `undefined` when nothing can be imported; then `skipped` has the reason. */
  readonly session: ForeignSession | undefined;
  readonly skipped: readonly { readonly place: string; readonly reason: string }[];
}

/**
 * Reads one session of mcp-memory-keeper. Its checkpoints become checkpoints with the current values of their items: the program
 * keeps no older values. The last checkpoint is the session's current state. Items become entries under their keys, exactly as saved;
 * the entry `mcp-memory-keeper` has the rest: category, priority, channel and dates of each item, facts of the session, cached files
 * without their content, the journal, links, the knowledge graph and compressed items. Items of high priority become pins.
 *
 * Lost: the content of cached files, vectors, the log of changes, tasks of its agents, events of other tools, and settings.
 * Skipped and named: items whose value is not text, and sessions that are too large or empty.
 */
export function readKeeperSession(tables: ForeignTables, id: string): KeeperSession {
  const place = `session ${id.slice(0, LONGEST_ID)}`;
  const rows = readKeeperRows(tables, id);
  if (rows.tooLarge !== undefined)
    return { session: undefined, skipped: [{ place, reason: `its rows in ${rows.tooLarge} exceed the size limit` }] };
  const skipped = rows.items.filter(isUnreadable).map(({ key }) => ({
    place: `${place}, item ${String(key).slice(0, LONGEST_ID)}`,
    reason: "its value is not text",
  }));
  const items = rows.items.filter((item) => !isUnreadable(item));
  if (items.length === 0 && rows.checkpoints.length === 0 && rows.others === 0) {
    return { session: undefined, skipped: [...skipped, { place, reason: "it is empty" }] };
  }
  const { checkpoints, tooOld } = newestOf({ ...rows, items });
  const dropped = tooOld === 0 ? [] : [{ place, reason: `its ${tooOld} oldest checkpoints exceed the size limit` }];
  return { session: sessionOf(id, { ...rows, items, checkpoints }), skipped: [...skipped, ...dropped] };
}

/** Checkpoints in order of time. Drops the oldest when all together are too large. */
function newestOf(rows: KeeperRows): { readonly checkpoints: readonly ForeignRow[]; readonly tooOld: number } {
  const sorted = rows.checkpoints.toSorted((left, right) => timeOf(left) - timeOf(right));
  let room = MAX_TEXT_LENGTH - JSON.stringify(currentContext(rows)).length;
  const first = sorted.findLastIndex((row) => (room -= JSON.stringify(checkpointContext(row, rows)).length) < 0) + 1;
  return { checkpoints: sorted.slice(first), tooOld: first };
}

function timeOf(row: ForeignRow): number {
  return parseForeignTime(row["created_at"])?.getTime() ?? 0;
}

function isUnreadable({ key, value }: ForeignRow): boolean {
  return typeof key !== "string" || typeof value !== "string";
}

function sessionOf(id: string, rows: KeeperRows): ForeignSession {
  const { session } = rows;
  const createdAt = parseForeignTime(session["created_at"]) ?? latestOf(timesIn(rows)) ?? new Date(0);
  const directory = session["working_directory"] ?? undefined;
  return {
    id: foreignSessionId(SOURCE, id),
    createdAt,
    writer: SOURCE,
    project: directory !== undefined && path.isAbsolute(directory) && isStorablePath(directory) ? directory : undefined,
    name: session["name"] ?? undefined,
    pins: rows.items.filter(({ priority }) => priority === "high").map(({ key }) => String(key)),
    checkpoints: checkpointsOf(id, rows, createdAt),
  };
}

function checkpointsOf(id: string, rows: KeeperRows, createdAt: Date): readonly ForeignCheckpoint[] {
  const drafts = rows.checkpoints.map((row) => ({
    createdAt: parseForeignTime(row["created_at"]) ?? createdAt,
    name: row["name"] ?? undefined,
    own: String(row["id"]),
    context: checkpointContext(row, rows),
  }));
  const now = { createdAt: latestOf(timesIn(rows)) ?? createdAt, name: undefined, own: "", context: currentContext(rows) };
  let parentId: ForeignCheckpoint["parentId"] = null;
  return [...drafts, now].map(({ own, context, ...labels }): ForeignCheckpoint => {
    const checkpoint: ForeignCheckpoint = {
      ...labels,
      id: foreignCheckpointId(SOURCE, id, own, JSON.stringify(context)),
      parentId,
      kind: "workflow",
      context,
      tags: [SOURCE],
      attributes: {
        source: SOURCE,
        sourceSession: id.slice(0, LONGEST_ID),
        ...(own === "" ? {} : { sourceCheckpoint: own.slice(0, LONGEST_ID) }),
      },
    };
    parentId = checkpoint.id;
    return checkpoint;
  });
}

function* timesIn({ session, items, checkpoints, journal, deleted }: KeeperRows): Generator<Date | undefined, void, undefined> {
  const rows = [session, ...items, ...checkpoints, ...journal, ...deleted];
  for (const row of rows) for (const column of ["created_at", "updated_at", "deleted_at"]) yield parseForeignTime(row[column]);
}

function currentContext(rows: KeeperRows): Context {
  const { session, items, files, journal, links, compressed, graph } = rows;
  return contextOf(items, {
    session: factsOf(session),
    ...list("files", files.map(factsOf)),
    ...list("journal", journal.map(factsOf)),
    ...list("relationships", links.map(factsOf)),
    ...list("compressed", compressed.map(factsOf)),
    ...list("entities", graph.entities.map(factsOf)),
    ...list("relations", graph.relations.map(factsOf)),
    ...list("observations", graph.observations.map(factsOf)),
  });
}

/** Leaves out facts of the session: they change, and a change would give the checkpoint another id. */
function checkpointContext(row: ForeignRow, { items, files, checkpointItems, checkpointFiles }: KeeperRows): Context {
  const own = row["id"] ?? "";
  const isNamed = (links: ReadonlyMap<string, ReadonlySet<string>>) => (item: ForeignRow) => links.get(own)?.has(item["id"] ?? "") === true;
  return contextOf(items.filter(isNamed(checkpointItems)), {
    checkpoint: factsOf(row),
    ...list("files", files.filter(isNamed(checkpointFiles)).map(factsOf)),
  });
}

function contextOf(items: readonly ForeignRow[], facts: JsonObject): Context {
  const entries = new Entries();
  const described: JsonValue[] = [];
  for (const { key, value, ...rest } of items) {
    described.push({ key: entries.add(String(key), value ?? null), ...itemFacts(rest) });
  }
  entries.add(SOURCE, { ...facts, ...list("items", described) });
  return entries.toContext();
}

/** Leaves out default values, to save tokens for models that read the entry. */
function itemFacts({ is_private: isPrivate = null, priority = null, updated_at: updatedAt = null, ...rest }: ForeignRow): JsonObject {
  return factsOf({
    ...rest,
    priority: priority === "normal" ? null : priority,
    is_private: isPrivate === "0" ? null : isPrivate,
    updated_at: updatedAt === rest["created_at"] ? null : updatedAt,
  });
}

function list(name: string, values: readonly JsonValue[]): JsonObject {
  return values.length === 0 ? {} : { [name]: values };
}

/** Columns with a value, without ids of rows, which mean nothing outside the database. */
function factsOf(row: ForeignRow): JsonObject {
  return Object.fromEntries(Object.entries(row).filter(([column, value]) => value !== null && value !== "" && column !== "id"));
}
