import { escapeText } from "@workrail/process";
import type { StoreStats } from "@workrail/runtime";
import { type Command, Option } from "commander";
import { formatAge } from "../format-age.ts";
import { formatBytes } from "../format-bytes.ts";
import { note, outputWidth, styled, writeData, writeJson } from "../print.ts";
import { type Column, renderTable, type Table } from "../render-table.ts";
import { showingProgress } from "../show-progress.ts";
import { showSavings } from "../show-savings.ts";
import { type GlobalOptions, lookIntoStore } from "../with-store.ts";

type Figures = Omit<StoreStats["total"], "sessions">;

interface StatsOptions extends GlobalOptions {
  readonly session?: string;
  readonly allProjects?: true;
  readonly tokens: boolean;
  readonly savings?: true;
  readonly since?: string;
}

/** Most sessions in the overview. */
const MOST_SESSIONS = 20;

const EXAMPLES = `
Examples:
  workrail stats
  workrail stats --all-projects --no-tokens --json
  workrail stats --savings --since 2026-01-31
`;

/** `workrail stats`: shows the size of sessions and projects, compressed and uncompressed, and in tokens. */
export function addStatsCommand(program: Command): void {
  program
    .command("stats")
    .summary("show tokens, compression and storage of sessions and projects")
    .description("Shows the sizes of sessions and projects: bytes of contexts and files, and tokens of each latest context.")
    .option("--session <id>", "only this session, in any project")
    .option("--all-projects", "include all projects")
    .option("--no-tokens", "do not count tokens, which reads the latest contexts")
    .option("--savings", "show automatic saves and resumes instead")
    .addOption(
      new Option("--since <time>", "with --savings: from this time on (ISO 8601); default: 30 days ago").implies({ savings: true }),
    )
    .addHelpText("after", EXAMPLES)
    .action(async (_options: StatsOptions, command: Command) => show(command.optsWithGlobals()));
}

async function show(options: StatsOptions): Promise<void> {
  return options.savings === true ? showSavings(options) : stats(options);
}

async function stats(options: StatsOptions): Promise<void> {
  const { session, allProjects, tokens } = options;
  const params = { sessionId: session, ...(allProjects === true ? { project: null } : {}), tokens };
  const found = await lookIntoStore(options, (store) =>
    showingProgress("Sessions counted:", (onProgress) => store.storeStats({ ...params, onProgress })),
  );
  if (options.json) return writeJson(found);
  if (found.sessions.length === 0) return note("No session found; --all-projects includes all projects.");
  await writeData(forPeople(found));
}

function forPeople({ total, projects, sessions }: StoreStats): string {
  const width = outputWidth();
  const shown = sessions.slice(0, MOST_SESSIONS);
  const more = sessions.length > shown.length ? [`and ${sessions.length - shown.length} more; --json shows all`] : [];
  const lines = [
    `Sessions: ${total.sessions}, checkpoints: ${total.checkpoints}.`,
    `Contexts: ${formatBytes(total.contextBytes)}, stored in ${formatBytes(total.storedBytes)}${timesOf(total)}.`,
    ...(total.tokens === undefined ? [] : [`Latest contexts: ${count(total.tokens)} tokens.`]),
    "",
    ...linesOf(renderTable(projectColumns(), projects, width)),
    "",
    ...linesOf(renderTable(sessionColumns(new Date()), shown, width)),
    ...more,
  ];
  return `${lines.join("\n")}\n`;
}

function linesOf({ header, lines }: Table): readonly string[] {
  return [styled("bold", header, process.stdout), ...lines];
}

function projectColumns(): readonly Column<StoreStats["projects"][number]>[] {
  return [
    { title: "PROJECT", leastWidth: 16, keepsEnd: true, stays: true, cell: ({ project }) => escapeText(project ?? "(none)") },
    { title: "SESSIONS", align: "right", cell: ({ sessions }) => String(sessions) },
    ...figureColumns(),
  ];
}

function sessionColumns(now: Date): readonly Column<StoreStats["sessions"][number]>[] {
  return [
    { title: "SESSION", leastWidth: 12, cutFirst: true, stays: true, cell: ({ sessionId }) => escapeText(sessionId) },
    { title: "AGE", align: "right", stays: true, cell: ({ lastAccessedAt }) => formatAge(lastAccessedAt, now) },
    ...figureColumns(),
  ];
}

function figureColumns(): readonly Column<Figures>[] {
  return [
    { title: "CHECKPOINTS", align: "right", cell: ({ checkpoints }) => String(checkpoints) },
    { title: "CONTEXTS", align: "right", cell: ({ contextBytes }) => formatBytes(contextBytes) },
    { title: "STORED", align: "right", cell: ({ storedBytes }) => formatBytes(storedBytes) },
    { title: "RATIO", align: "right", cell: ({ ratio }) => (isSaving(ratio) ? `${ratio.toFixed(1)}x` : "") },
    { title: "TOKENS", align: "right", cell: ({ tokens }) => (tokens === undefined ? "" : count(tokens)) },
  ];
}

function timesOf({ ratio }: Figures): string {
  return isSaving(ratio) ? ` (${ratio.toFixed(1)}x)` : "";
}

/** Tells whether a ratio is worth showing. A small context is larger as a file than as JSON, since the file also describes it. */
function isSaving(ratio: number | undefined): ratio is number {
  return ratio !== undefined && ratio >= 1;
}

function count(number: number): string {
  return number.toLocaleString("en-US");
}
