import type { CleanUpReason, CleanUpReport, Removal, Spared } from "@workrail/core";
import { escapeText } from "@workrail/process";
import type { SessionNote } from "./note-sessions.ts";
import { formatAge } from "./format-age.ts";
import { formatBytes } from "./format-bytes.ts";
import { renderTable } from "./render-table.ts";

const REASONS: Readonly<Record<CleanUpReason, string>> = {
  retention: "unused for long",
  thinning: "saved by hooks, and replaced by a later one",
  "aside-age": "an aside not used for long",
  quota: "the store is full",
  "disk-full": "the disk is full",
  "trash-age": "in the trash for long",
  "trash-share": "the trash is full",
  manual: "requested",
};

const PROTECTIONS: Readonly<Record<Spared["why"], string>> = { keep: "tagged keep", "in-use": "in use", handle: "held by handles" };

/** Describes for people the checkpoints that were removed, or would be, and those that stay. */
export function describeCleanUp(
  { dryRun, removed, spared, passedOver, left }: CleanUpReport,
  sessions: ReadonlyMap<string, SessionNote>,
  width: number,
): string {
  const gone = removed.filter(({ to }) => to === "nowhere");
  const trashed = removed.filter(({ to }) => to === "trash");
  const lines = [
    ...(removed.length === 0 ? ["There is nothing to remove."] : tableOf(removed, sessions, width)),
    ...summaryOf(trashed, dryRun ? "Would move to the trash" : "Moved to the trash"),
    ...summaryOf(gone, dryRun ? "Would be removed for good" : "Removed for good"),
    ...spared.map(
      ({ sessionId, checkpoints, why }) => `Kept: checkpoints: ${checkpoints}, of session ${escapeText(sessionId)} (${PROTECTIONS[why]}).`,
    ),
    ...left.map(escapeText).map((reason) => `Not everything is overwritten yet: ${reason} The next opening of the store continues.`),
    ...passedOver.map((sessionId) => `Skipped: session ${escapeText(sessionId)} changed meanwhile.`),
  ];
  return `${lines.join("\n")}\n`;
}

function tableOf(removed: readonly Removal[], sessions: ReadonlyMap<string, SessionNote>, width: number): readonly string[] {
  const now = new Date();
  const ageOf = (usedAt: string | undefined): string => (usedAt === undefined ? "" : formatAge(new Date(usedAt), now));
  const { header, lines } = renderTable(
    [
      { title: "SESSION", leastWidth: 10, cutFirst: true, stays: true, cell: ({ sessionId }) => escapeText(sessionId) },
      { title: "AGE", align: "right", stays: true, cell: ({ sessionId }) => ageOf(sessions.get(sessionId)?.usedAt) },
      { title: "CHECKPOINTS", align: "right", cell: ({ checkpointIds }) => `${checkpointIds.length}` },
      { title: "STORED", align: "right", cell: ({ bytes }) => formatBytes(bytes) },
      { title: "TO", cell: ({ to }) => (to === "trash" ? "trash" : "gone") },
      { title: "WHY", leastWidth: 8, cell: ({ reason }) => REASONS[reason] },
      { title: "NAME", leastWidth: 12, stays: true, cell: ({ sessionId }) => escapeText(sessions.get(sessionId)?.name ?? "") },
    ],
    removed,
    width,
  );
  return [header, ...lines];
}

function summaryOf(removed: readonly Removal[], what: string): readonly string[] {
  if (removed.length === 0) return [];
  const checkpoints = removed.reduce((sum, { checkpointIds }) => sum + checkpointIds.length, 0);
  const bytes = removed.reduce((sum, { bytes: size }) => sum + size, 0);
  return [`${what}: checkpoints: ${checkpoints}, stored in ${formatBytes(bytes)}.`];
}
