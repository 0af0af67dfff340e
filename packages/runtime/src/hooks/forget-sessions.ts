import fs from "node:fs";
import path from "node:path";
import { makeDirectories } from "@workrail/blob-files";
import type { Clock } from "@workrail/core";
import { HOOK_HOSTS } from "@workrail/host-transcripts";
import { erasedMark, type HookPlaces, hookPlaces, stateFile } from "./hook-places.ts";
import { CONVERSATION, REASON, sessionIn, waitingFiles } from "./incoming-save.ts";
import { namesIn } from "./names-in.ts";

const OF_HOST = new RegExp(`^(?:${HOOK_HOSTS.join("|")})-`, "u");

/** Removes states and incoming saves of erased sessions, and marks the sessions as erased: hooks must not save them again from their transcripts. */
export function forgetSessions(dataDir: string, erased: Iterable<string>): void {
  const places = hookPlaces(dataDir);
  for (const sessionId of new Set(erased)) {
    const file = stateFile(places, places.sessions, sessionId);
    const left = filesOf(places, sessionId);
    if (!fs.existsSync(file) && left.length === 0 && !OF_HOST.test(sessionId)) continue;
    const mark = erasedMark(places, sessionId);
    makeDirectories(path.dirname(mark));
    fs.writeFileSync(mark, "", { mode: 0o600 });
    const unfinished = namesIn(path.dirname(file)).filter((name) => name.startsWith(`${path.basename(file)}.`));
    const beside = unfinished.map((name) => path.join(path.dirname(file), name));
    for (const each of [file, ...beside, ...left]) fs.rmSync(each, { force: true });
  }
}

function filesOf({ incoming, refused }: HookPlaces, sessionId: string): readonly string[] {
  const files = [...waitingFiles(incoming), ...waitingFiles(refused)];
  const isOf = (found: string | undefined): boolean => found === sessionId || found?.replace(CONVERSATION, "") === sessionId;
  const own = files.filter((file) => isOf(sessionIn(file)));
  return own.flatMap((file) => [file, `${file}${REASON}`]);
}

/** True when the session was erased; for a conversation, when the session of its work was erased. */
export function isErased(places: HookPlaces, sessionId: string): boolean {
  return [sessionId, sessionId.replace(CONVERSATION, "")].some((each) => fs.existsSync(erasedMark(places, each)));
}

const DAY_MS = 24 * 60 * 60 * 1_000;
/** Milliseconds after which the files of a session are removed. */
const FORGOTTEN_MS = 60 * DAY_MS;

const MOST_REFUSED = 100;

/** Removes old states, refused saves and unfinished files, and all but the last refused saves. */
export function removeOld(dataDir: string, clock: Clock): void {
  const { sessions, refused, incoming } = hookPlaces(dataDir);
  if (![sessions, refused, incoming].some((each) => fs.existsSync(each))) return;
  const now = clock.now();
  const folders = [...namesIn(sessions).map((name) => path.join(sessions, name)), refused];
  const tooMany = waitingFiles(refused).slice(0, -MOST_REFUSED);
  for (const file of tooMany.flatMap((each) => [each, `${each}${REASON}`])) fs.rmSync(file, { force: true });
  for (const folder of folders) removeOlder(folder, now.getTime() - FORGOTTEN_MS, () => true);
  // A hook writes for at most a second.
  for (const folder of [...folders, incoming]) removeOlder(folder, now.getTime() - DAY_MS, (name) => name.includes(".tmp"));
}

function removeOlder(folder: string, before: number, isMeant: (name: string) => boolean): void {
  for (const name of namesIn(folder).filter(isMeant)) {
    const file = path.join(folder, name);
    const stat = fs.lstatSync(file, { throwIfNoEntry: false });
    if (stat?.isFile() === true && stat.mtimeMs < before) fs.rmSync(file, { force: true });
  }
}

/** Removes unencrypted notes of hooks when the store was sealed or replaced: transcripts are then read again. */
export function removeNotes(dataDir: string): void {
  const { sessions, log, refused, untold } = hookPlaces(dataDir);
  for (const each of [sessions, log, `${log}.old`, refused, untold]) fs.rmSync(each, { recursive: true, force: true });
}
