import { escapeText } from "@workrail/process";
import type { ListedSessionMetadata, ListSessionsResult } from "@workrail/runtime";
import type { Command } from "commander";
import { formatAge } from "../format-age.ts";
import { formatBytes } from "../format-bytes.ts";
import { parseWhole } from "../parse-option.ts";
import { note, outputWidth, writeJson } from "../print.ts";
import { printTable } from "../print-table.ts";
import type { Column } from "../render-table.ts";
import { idShortener } from "../shorten-ids.ts";
import { type GlobalOptions, lookIntoStore } from "../with-store.ts";

interface SessionsOptions extends GlobalOptions {
  readonly allProjects?: true;
  readonly limit?: number;
  readonly offset?: number;
}

const EXAMPLES = `
Examples:
  workrail sessions
  workrail sessions --all-projects --limit 5 --json
`;

/** `workrail sessions`: lists the sessions, most recently used first. */
export function addSessionsCommand(program: Command): void {
  program
    .command("sessions")
    .summary("list sessions, the most recently used first")
    .description("Lists the sessions of the working directory's project that have checkpoints, the most recently used first.")
    .option("--all-projects", "include all projects")
    .option("--limit <count>", "at most this many, up to 100; default: 20", parseWhole)
    .option("--offset <count>", "skip this many of the most recently used", parseWhole)
    .addHelpText("after", EXAMPLES)
    .action(async (_options: SessionsOptions, command: Command) => sessions(command.optsWithGlobals()));
}

async function sessions(options: SessionsOptions): Promise<void> {
  const { allProjects, limit, offset } = options;
  const params = { ...(allProjects === true ? { project: null } : {}), limit, offset };
  const found = await lookIntoStore(options, (store) => store.listSessions(params));
  if (options.json) return writeJson(found);
  if (found.sessions.length > 0) await printTable(columns(new Date(), found.sessions), found.sessions);
  const more = describeRest(found, options);
  if (more !== undefined) note(more);
}

function columns(now: Date, sessions: readonly ListedSessionMetadata[]): readonly Column<ListedSessionMetadata>[] {
  const projects = new Set(sessions.flatMap(({ project, latest }) => [project, latest?.project]));
  const shorten = idShortener(
    sessions.flatMap(({ latest }) => (latest === undefined ? [] : [latest.id])),
    outputWidth(),
  );
  return [
    { title: "SESSION", leastWidth: 12, cutFirst: true, stays: true, cell: ({ id }) => escapeText(id) },
    { title: "AGE", align: "right", stays: true, cell: ({ lastAccessedAt }) => formatAge(new Date(lastAccessedAt), now) },
    { title: "CHECKPOINTS", align: "right", cell: ({ checkpointCount }) => String(checkpointCount) },
    { title: "STORED", align: "right", cell: ({ totalSizeBytes }) => formatBytes(totalSizeBytes) },
    { title: "LATEST", cell: ({ latest }) => (latest === undefined ? "damaged" : shorten(latest.id)) },
    { title: "NAME", leastWidth: 12, stays: true, cell: ({ name, latest }) => escapeText(name ?? latest?.name ?? "") },
    { title: "TAGS", leastWidth: 8, cell: ({ tags }) => escapeText(tags?.join(", ") ?? "") },
    { title: "WORKFLOW", leastWidth: 8, cell: ({ latest }) => escapeText(latest?.workflowId ?? "") },
    { title: "PROJECT", leastWidth: 12, keepsEnd: true, cell: (session) => (projects.size > 1 ? escapeText(projectOf(session)) : "") },
  ];
}

/** Returns the project of the session, and that of the latest save if it differs. */
function projectOf({ project = "", latest }: ListedSessionMetadata): string {
  return latest?.project === undefined || latest.project === project ? project : `${project} (latest: ${latest.project})`;
}

/** Describes the rows that the table does not show. */
function describeRest({ sessions, total, offset }: ListSessionsResult, { allProjects }: SessionsOptions): string | undefined {
  const end = offset + sessions.length;
  if (end < total) return `${offset + 1} to ${end} of ${total}; --offset ${end} shows the next.`;
  if (sessions.length > 0) return undefined;
  if (total > 0) return `There are only ${total}.`;
  return `No session found${allProjects === true ? "" : "; --all-projects includes all projects"}.`;
}
