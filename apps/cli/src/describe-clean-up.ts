import type { CleanUpReason, CleanUpReport, Removal, Spared } from "@workrail/core";
import { formatBytes } from "./format-bytes.ts";
import { renderTable } from "./render-table.ts";

const REASONS: Readonly<Record<CleanUpReason, string>> = {
  retention: "not used for long",
  "aside-age": "an aside not used for long",
  quota: "the store is full",
  "disk-full": "the disk is full",
  "trash-age": "in the trash for long",
  "trash-share": "the trash is full",
  manual: "asked for",
};

const PROTECTIONS: Readonly<Record<Spared["why"], string>> = { keep: "tagged keep", "in-use": "in use", handle: "held by handles" };

/** What went, or would go, and what stays, for people. */
export function describeCleanUp({ dryRun, removed, spared, passedOver }: CleanUpReport, width: number): string {
  const gone = removed.filter(({ to }) => to === "nowhere");
  const trashed = removed.filter(({ to }) => to === "trash");
  const lines = [
    ...(removed.length === 0 ? ["There is nothing to remove."] : tableOf(removed, width)),
    ...summaryOf(trashed, dryRun ? "Would go into the trash" : "Moved into the trash"),
    ...summaryOf(gone, dryRun ? "Would be removed for good" : "Removed for good"),
    ...spared.map(
      ({ sessionId, checkpoints, why }) => `Stays: checkpoints: ${checkpoints}, of session ${sessionId} (${PROTECTIONS[why]}).`,
    ),
    ...passedOver.map((sessionId) => `Left alone: session ${sessionId} changed meanwhile.`),
  ];
  return `${lines.join("\n")}\n`;
}

function tableOf(removed: readonly Removal[], width: number): readonly string[] {
  const { header, lines } = renderTable(
    [
      { title: "SESSION", cell: ({ sessionId }) => sessionId },
      { title: "CHECKPOINTS", align: "right", cell: ({ checkpointIds }) => `${checkpointIds.length}` },
      { title: "SIZE", align: "right", cell: ({ bytes }) => formatBytes(bytes) },
      { title: "TO", cell: ({ to }) => (to === "trash" ? "trash" : "gone") },
      { title: "WHY", leastWidth: 8, cell: ({ reason }) => REASONS[reason] },
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
  return [`${what}: ${checkpoints} (${formatBytes(bytes)}).`];
}
