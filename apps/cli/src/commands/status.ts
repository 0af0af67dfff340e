import { existsSync } from "node:fs";
import { escapeText, inOwnName } from "@workrail/process";
import type { StoreStatus } from "@workrail/runtime";
import type { Command } from "commander";
import { formatAge } from "../format-age.ts";
import { formatBytes } from "../format-bytes.ts";
import { outputWidth, writeData, writeJson } from "../print.ts";
import { type Column, renderTable } from "../render-table.ts";
import { type GlobalOptions, lookIntoStore } from "../with-store.ts";

type SessionUse = StoreStatus["largestSessions"][number];

interface Status extends StoreStatus {
  readonly dataDir: string | undefined;
}

const EXAMPLES = `
Example:
  workrail status
`;

/** `workrail status`: shows the content of the store, its limits, and warnings. */
export function addStatusCommand(program: Command): void {
  program
    .command("status")
    .summary("show the content and limits of the store")
    .description("Shows the content of the store, its share of the quotas, its largest sessions, and warnings.")
    .addHelpText("after", EXAMPLES)
    .action(async (_options: GlobalOptions, command: Command) => status(command.optsWithGlobals()));
}

async function status(options: GlobalOptions): Promise<void> {
  const found = await lookIntoStore(options, async (store) => ({ dataDir: store.dataDir, ...(await store.storeStatus()) }));
  await (options.json ? writeJson(found) : writeData(forPeople(found)));
}

function forPeople(status: Status): string {
  const { dataDir, durability, mode, checkpoints, damaged, sessions, liveBytes, trashed, trashBytes, pendingRemovals } = status;
  const isDatabase = mode === "postgres";
  const lines = [
    `Store: ${escapeText(isDatabase ? "a PostgreSQL database" : (dataDir ?? "a node"))} (${durability}, ${escapeText(mode)}).`,
    `Checkpoints: ${checkpoints}, in sessions: ${sessions}, stored in ${formatBytes(liveBytes)}.`,
    ...(isDatabase || dataDir === undefined || existsSync(dataDir) ? [] : ["There is no store yet; the first save creates it."]),
    ...(status.readOnly ? ["Read-only: writes are refused."] : []),
    ...(damaged === 0 ? [] : [`Damaged: ${damaged}.`]),
    ...(trashed === 0 ? [] : [`In the trash: checkpoints: ${trashed}, stored in ${formatBytes(trashBytes)}.`]),
    ...(pendingRemovals === 0 ? [] : [removalsOf(status)]),
    ...quarantineOf(status.quarantine),
    `Quota: checkpoints and trash take ${shareOf(status.quota)}.`,
    searchOf(status.search),
    ...vectorsOf(status.vectors),
    `Last clean-up: ${cleanUpOf(status.lastCleanUp)}.`,
    `Last backup: ${status.lastBackupAt?.toISOString() ?? "none is recorded"}.`,
    ...status.warnings.map((warning) => `Warning: ${escapeText(inOwnName(warning))}`),
    ...largest(status.largestSessions),
  ];
  return `${lines.join("\n")}\n`;
}

function removalsOf({ pendingRemovals, neededRemovals, removalsHeldUntil }: Status): string {
  const needed = neededRemovals === 0 ? "" : `, of which others still need ${neededRemovals}`;
  const held = removalsHeldUntil === undefined ? "" : `; held for a backup until ${removalsHeldUntil.toISOString()} at the latest`;
  return `Files to be removed: ${pendingRemovals}${needed}${held}.`;
}

function quarantineOf({ files, bytes, places }: Status["quarantine"]): readonly string[] {
  if (files === 0) return [];
  const more = files > places.length ? [`  and ${files - places.length} more`] : [];
  return [`In quarantine: files: ${files}, of ${formatBytes(bytes)}.`, ...places.map((place) => `  ${escapeText(place)}`), ...more];
}

function searchOf(search: Status["search"]): string {
  if (search === undefined) return "Search index: none is stored; each process builds its own.";
  const rest = search.pending === 0 ? "" : `; ${search.pending} not indexed yet; the next search indexes them`;
  return `Search index: sessions: ${search.sessions}, stored in ${formatBytes(search.bytes)}${rest}.`;
}

function vectorsOf(vectors: Status["vectors"]): readonly string[] {
  if (vectors === undefined) return [];
  const spaces = vectors.spaces.map(({ name, vectors: held, pending }) => {
    return `${held} of ${escapeText(name)}${pending === 0 ? "" : ` (sessions to be looked at: ${pending})`}`;
  });
  return [`Vectors: ${spaces.join(", ")}, stored in ${formatBytes(vectors.bytes)}.`];
}

function cleanUpOf(last: Status["lastCleanUp"]): string {
  if (last === undefined) return "none is recorded";
  const { at, trashed, removed, sessions, reasons } = last;
  if (sessions === 0) return `${at.toISOString()}, nothing was removed`;
  return `${at.toISOString()}, sessions: ${sessions}, to the trash: ${trashed}, for good: ${removed} (${reasons.join(", ")})`;
}

function largest(sessions: readonly SessionUse[]): readonly string[] {
  if (sessions.length === 0) return [];
  const { header, lines } = renderTable(columns(new Date()), sessions, outputWidth());
  return ["", header, ...lines];
}

function columns(now: Date): readonly Column<SessionUse>[] {
  return [
    { title: "LARGEST SESSIONS", leastWidth: 16, cutFirst: true, stays: true, cell: ({ sessionId }) => escapeText(sessionId) },
    { title: "AGE", align: "right", stays: true, cell: ({ lastAccessedAt }) => formatAge(lastAccessedAt, now) },
    { title: "CHECKPOINTS", align: "right", cell: ({ checkpoints }) => String(checkpoints) },
    { title: "QUOTA", cell: shareOf },
  ];
}

function shareOf({ usedBytes, limitBytes, share }: StoreStatus["quota"]): string {
  return `${formatBytes(usedBytes)} of ${formatBytes(limitBytes)} (${(share * 100).toFixed(1)}%)`;
}
