import fs from "node:fs/promises";
import path from "node:path";
import { readGivenFile } from "@workrail/blob-files";
import type { ForeignPart, ForeignPartSkipped } from "./foreign-memory.ts";
import { foreignCheckpointId, foreignSessionId } from "./foreign-ids.ts";
import { KnowledgeGraph } from "./knowledge-graph.ts";
import { unreadableMemory, refusalReason } from "./refusals.ts";
import { textOf } from "./text-of.ts";

const SOURCE = "server-memory";
const MAX_FILE_BYTES = 64 * 1024 * 1024;
/** Reading stops with an error after this time. */
const PATIENCE_MS = 60_000;
const LINE_FEED = 0x0a;
/** A file with more wrong lines than this is refused. */
const MAX_WRONG_LINES = 1_000;

/**
 * Reads the file of @modelcontextprotocol/server-memory: JSON lines of entities and relations, without dates. The file becomes one session
 * with one checkpoint, dated by the file's last change. Each entity is an entry under its name: type, observations, and outgoing
 * relations by type. Relations without an entity are in the entry `relations`. Unknown fields are kept.
 *
 * Lost: the order of relations across entities and types. Skipped and named: each line that is neither an entity nor a relation.
 *
 * @throws INVALID_INPUT when the file is missing, larger than 64 MiB, or has more than 1,000 wrong lines.
 */
export async function* readServerMemory(given: string): AsyncGenerator<ForeignPart, void, undefined> {
  const file = await fs.realpath(given).catch(() => given);
  const createdAt = (await fs.stat(file).catch(() => undefined))?.mtime;
  if (createdAt === undefined) throw unreadableMemory({ source: SOURCE, place: given }, refusalReason("missing"));
  const found = await readGivenFile(path.dirname(file), file, { maxBytes: MAX_FILE_BYTES, patienceMs: PATIENCE_MS });
  if ("refused" in found) throw unreadableMemory({ source: SOURCE, place: given }, refusalReason(found.refused));
  const graph = new KnowledgeGraph();
  yield* fillGraph(graph, file, found.bytes);
  const context = graph.toContext();
  if (Object.keys(context).length === 0) {
    yield { kind: "skipped", place: file, reason: "it holds no entities and no relations" };
    return;
  }
  const checkpoint = {
    id: foreignCheckpointId(SOURCE, file, JSON.stringify(context)),
    parentId: null,
    kind: "workflow",
    createdAt,
    context,
    name: "knowledge graph",
    tags: [SOURCE],
    attributes: { source: SOURCE, file },
  } as const;
  const session = { id: foreignSessionId(SOURCE, file), createdAt, writer: SOURCE, checkpoints: [checkpoint] };
  yield { kind: "session", session, done: 1, total: 1 };
}

function* fillGraph(graph: KnowledgeGraph, file: string, bytes: Buffer): Generator<ForeignPartSkipped, void, undefined> {
  let start = 0;
  let wrong = 0;
  for (let line = 1; start < bytes.length; line++) {
    const end = bytes.indexOf(LINE_FEED, start);
    const piece = bytes.subarray(start, end < 0 ? bytes.length : end);
    start = end < 0 ? bytes.length : end + 1;
    const reason = graph.addLine(textOf(piece));
    if (reason === undefined) continue;
    if (++wrong > MAX_WRONG_LINES)
      throw unreadableMemory(
        { source: SOURCE, place: file },
        `more than ${MAX_WRONG_LINES} of its lines are neither entities nor relations`,
      );
    yield { kind: "skipped", place: `${file}:${line}`, reason };
  }
}
