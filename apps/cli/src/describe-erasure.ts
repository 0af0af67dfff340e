import { escapeText } from "@workrail/process";
import type { EraseResult } from "@workrail/runtime";

const ELSEWHERE = "Earlier copies are not erased: backups, exports, and old blocks or snapshots of the disk.";

/** Describes for people the data that was erased, or would be, data still to erase, and known copies. */
export function describeErasure({ dryRun, erased, spared, left, unreadable, copies }: EraseResult): string {
  const lines = [
    ...(erased.length === 0 ? ["There is no checkpoint to erase."] : countsOf(dryRun ? "Would be erased" : "Erased", erased)),
    ...countsOf("Kept, tagged keep", spared),
    ...left.map(escapeText).map((reason) => `The erasure is not complete: ${reason} It continues when the store is opened again.`),
    ...unreadable.map((id) => `Checkpoint ${id} is still unreadable: its base is missing.`),
    ...known("Backups of the store", copies.backups),
    ...known("Exports", copies.exports),
    ...copies.exportFiles.map(escapeText).map((file) => `Export that may contain these checkpoints, not erased: ${file}`),
    ...copies.quarantineFiles.map(escapeText).map((file) => `Damaged file that may contain these checkpoints, not erased: ${file}`),
    ...copies.replacedStores
      .map(escapeText)
      .map((directory) => `Older state of the store that may contain these checkpoints, not erased: ${directory}`),
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
  return [`${what} that may contain these checkpoints: ${times.length}, the latest made at ${last}.`];
}
