import { escapeText } from "@workrail/process";
import type { EraseResult } from "@workrail/runtime";

const ELSEWHERE = "Earlier copies keep their content: backups, exports, and what a disk or a file system keeps by itself.";

/** Describes for people the data that was erased, or would be, data still to erase, and known copies. */
export function describeErasure({ dryRun, erased, spared, left, unreadable, copies }: EraseResult): string {
  const lines = [
    ...(erased.length === 0 ? ["There is no checkpoint to erase."] : countsOf(dryRun ? "Would be erased" : "Erased", erased)),
    ...countsOf("Stays, tagged keep", spared),
    ...left.map(escapeText).map((reason) => `Not all is gone yet: ${reason} The rest is done when the store is opened the next time.`),
    ...unreadable.map((id) => `Cannot be read, as before: checkpoint ${id}, whose base is gone.`),
    ...known("A backup of the store was made", copies.backups),
    ...known("An export was made", copies.exports),
    ...copies.exportFiles.map(escapeText).map((file) => `Has something of it, and stays: ${file}`),
    ...copies.quarantineFiles.map(escapeText).map((file) => `Is damaged, may have something of it, and stays: ${file}`),
    ...copies.replacedStores.map(escapeText).map((directory) => `An older state of the store, which may have it, stays: ${directory}`),
    ...(erased.length === 0 ? [] : [ELSEWHERE]),
  ];
  return `${lines.join("\n")}\n`;
}

/** Returns one line for each session. */
function countsOf(what: string, checkpoints: EraseResult["erased"]): readonly string[] {
  const sessions = new Map<string, number>();
  for (const { sessionId } of checkpoints) sessions.set(sessionId, (sessions.get(sessionId) ?? 0) + 1);
  return [...sessions].map(([sessionId, count]) => `${what}: checkpoints: ${count}, of session ${escapeText(sessionId)}.`);
}

function known(what: string, times: readonly string[]): readonly string[] {
  const [last] = times;
  if (last === undefined) return [];
  return [`${what}, and keeps what it has: at ${last}${times.length === 1 ? "" : `, and ${times.length - 1} before`}.`];
}
