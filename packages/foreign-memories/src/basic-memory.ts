import fs from "node:fs/promises";
import path from "node:path";
import { readGivenFile } from "@workrail/blob-files";
import type { ForeignSession, JsonValue } from "@workrail/core";
import { Entries } from "./entries.ts";
import type { ForeignPart, ForeignPartSkipped } from "./foreign-memory.ts";
import { foreignCheckpointId, foreignSessionId } from "./foreign-ids.ts";
import { latestOf } from "./foreign-time.ts";
import { findNoteFolders, type NoteFolder } from "./note-folders.ts";
import { unreadableMemory, refusalReason } from "./refusals.ts";
import { textOf } from "./text-of.ts";

const SOURCE = "basic-memory";
const MAX_NOTE_BYTES = 8 * 1024 * 1024;
const MAX_FOLDER_BYTES = 64 * 1024 * 1024;
const MAX_NOTES = 20_000;

/**
 * Reads the notes of Basic Memory: Markdown files in a folder and its subfolders. Each folder with notes becomes a session with one
 * checkpoint, dated by the latest change in the folder. Each note is an entry under its file's name, with its whole text and front
 * matter. The entry `basic-memory` lists the files and their last changes.
 *
 * Lost: data that is only in the program's database, such as resolved links. The program rebuilds it from the notes.
 * Skipped and named: files that are not notes, links, notes that are not UTF-8 or larger than 8 MiB, and folders that hold too much.
 *
 * @throws INVALID_INPUT when the folder is missing, or has too many or too deep subfolders.
 */
export async function* readBasicMemory(given: string): AsyncGenerator<ForeignPart, void, undefined> {
  const root = await fs.realpath(given).catch(() => given);
  const found = await fs.stat(root).catch(() => undefined);
  if (found?.isDirectory() !== true)
    throw unreadableMemory({ source: SOURCE, place: given }, found === undefined ? "it does not exist" : "it is not a folder");
  const folders = await findNoteFolders(root);
  if (folders === undefined) throw unreadableMemory({ source: SOURCE, place: given }, "it has too many files, or folders in folders");
  let notes = 0;
  for (const [index, folder] of folders.entries()) {
    yield* skippedIn(folder);
    const reading = await readFolder(root, folder);
    yield* reading.skipped;
    notes += folder.notes.length;
    if (reading.session !== undefined) yield { kind: "session", session: reading.session, done: index + 1, total: folders.length };
  }
  if (notes === 0) yield { kind: "skipped", place: root, reason: "it holds no notes" };
}

function* skippedIn({ folder, others, isUnreadable }: NoteFolder): Generator<ForeignPartSkipped, void, undefined> {
  if (isUnreadable) yield { kind: "skipped", place: folder, reason: "you may not read it" };
  for (const name of others) yield { kind: "skipped", place: path.join(folder, name), reason: "it is not a note" };
}

interface ReadFolder {
  readonly session?: ForeignSession;
  readonly skipped: readonly ForeignPartSkipped[];
}

async function readFolder(root: string, { folder, notes }: NoteFolder): Promise<ReadFolder> {
  const tooMuch: ReadFolder = { skipped: [{ kind: "skipped", place: folder, reason: "its notes exceed the size limit" }] };
  if (notes.length > MAX_NOTES) return tooMuch;
  const skipped: ForeignPartSkipped[] = [];
  const read: Note[] = [];
  let bytes = 0;
  for (const name of notes) {
    const note = await readNote(root, path.join(folder, name));
    if (typeof note === "string") skipped.push({ kind: "skipped", place: path.join(folder, name), reason: note });
    else read.push(note);
    bytes += typeof note === "string" ? 0 : note.sizeBytes;
    if (bytes > MAX_FOLDER_BYTES) return tooMuch;
  }
  if (read.length === 0) return { skipped };
  const changedAt = (await fs.stat(folder).catch(() => undefined))?.mtime;
  return { session: sessionOf(root, folder, { notes: read, changedAt }), skipped };
}

interface Note {
  readonly file: string;
  readonly text: string;
  readonly sizeBytes: number;
  readonly modifiedAt: Date;
}

/** The note, or the reason why it cannot be imported. */
async function readNote(root: string, file: string): Promise<Note | string> {
  const modifiedAt = (await fs.stat(file).catch(() => undefined))?.mtime;
  if (modifiedAt === undefined) return refusalReason("missing");
  const found = await readGivenFile(root, file, { maxBytes: MAX_NOTE_BYTES });
  if ("refused" in found) return refusalReason(found.refused);
  const text = textOf(found.bytes);
  if (text === undefined) return "it is not UTF-8";
  return { file: path.basename(file), text, sizeBytes: found.bytes.length, modifiedAt };
}

function sessionOf(
  root: string,
  folder: string,
  { notes, changedAt }: { readonly notes: readonly Note[]; readonly changedAt: Date | undefined },
): ForeignSession {
  const name = path.relative(root, folder).split(path.sep).join("/") || path.basename(root);
  const entries = new Entries();
  const facts = new Entries();
  for (const { file, text, modifiedAt } of notes) {
    const key = entries.add(file.replace(/\.[^.]+$/u, ""), text);
    facts.add(key, { file, modifiedAt: modifiedAt.toISOString() });
  }
  entries.add(SOURCE, { folder: name, notes: facts.toContext() as JsonValue });
  const context = entries.toContext();
  const times = notes.map(({ modifiedAt }) => modifiedAt);
  const createdAt = times.reduce((first, time) => (time < first ? time : first));
  const checkpoint = {
    id: foreignCheckpointId(SOURCE, root, name, JSON.stringify(context)),
    parentId: null,
    kind: "workflow",
    createdAt: latestOf([...times, changedAt]) ?? createdAt,
    context,
    tags: [SOURCE],
    attributes: { source: SOURCE, folder },
  } as const;
  return { id: foreignSessionId(SOURCE, root, name), createdAt, writer: SOURCE, name, checkpoints: [checkpoint] };
}
