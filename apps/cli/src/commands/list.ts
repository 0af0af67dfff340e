import { CHECKPOINT_KINDS, type CheckpointKind } from "@workrail/core";
import { escapeText } from "@workrail/process";
import type { CheckpointMetadata, FindCheckpointsParams, FindCheckpointsResult } from "@workrail/runtime";
import { type Command, Option } from "commander";
import { formatAge } from "../format-age.ts";
import { formatBytes } from "../format-bytes.ts";
import { collect, parseWhole } from "../parse-option.ts";
import { note, outputWidth, writeJson } from "../print.ts";
import { printTable } from "../print-table.ts";
import type { Column } from "../render-table.ts";
import { idShortener } from "../shorten-ids.ts";
import { type GlobalOptions, lookIntoStore } from "../with-store.ts";

interface ListOptions extends GlobalOptions {
  readonly session?: string;
  readonly tag?: readonly string[];
  readonly name?: string;
  readonly query?: string;
  readonly since?: string;
  readonly until?: string;
  readonly workflow?: string;
  readonly agent?: string;
  readonly kind?: CheckpointKind;
  readonly allProjects?: true;
  readonly limit?: number;
  readonly offset?: number;
}

const EXAMPLES = `
Examples:
  workrail list --session my-task
  workrail list --all-projects --tag draft --since 2026-01-31
  workrail list --query refactoring --json
`;

/** `workrail list`: finds checkpoints by their metadata. */
export function addListCommand(program: Command): void {
  program
    .command("list")
    .summary("list checkpoints, newest first")
    .description("Lists the checkpoints of the working directory's project, or of one session, newest first. All filters must match.")
    .option("--session <id>", "only this session, in any project")
    .option("--tag <text>", "only with this tag, on the checkpoint or its session; may be repeated", collect)
    .option("--name <text>", "only names that contain this")
    .option("--query <words>", "only if name, tags, metadata, workflow or agent contain all of these words")
    .option("--since <time>", "only from this time on (ISO 8601)")
    .option("--until <time>", "only up to this time, or to the end of this day (ISO 8601)")
    .option("--workflow <id>", "only of this workflow")
    .option("--agent <id>", "only of this agent")
    .addOption(new Option("--kind <kind>", "only of this kind; default: all but asides").choices(CHECKPOINT_KINDS))
    .option("--all-projects", "include all projects")
    .option("--limit <count>", "at most this many, up to 100; default: 20", parseWhole)
    .option("--offset <count>", "skip this many of the newest", parseWhole)
    .addHelpText("after", EXAMPLES)
    .action(async (_options: ListOptions, command: Command) => list(command.optsWithGlobals()));
}

async function list(options: ListOptions): Promise<void> {
  const found = await lookIntoStore(options, (store) => store.findCheckpoints(paramsOf(options)));
  if (options.json) return writeJson(found);
  const { checkpoints } = found;
  if (checkpoints.length > 0) await printTable(listColumns(checkpoints, { now: new Date(), width: outputWidth() }), checkpoints);
  const more = describeRest(found, options);
  if (more !== undefined) note(more);
}

function paramsOf(options: ListOptions): FindCheckpointsParams {
  return {
    sessionId: options.session,
    ...(options.allProjects === true ? { project: null } : {}),
    tags: options.tag === undefined ? undefined : [...options.tag],
    name: options.name,
    query: options.query,
    since: options.since,
    until: options.until,
    workflowId: options.workflow,
    agentId: options.agent,
    kind: options.kind,
    limit: options.limit,
    offset: options.offset,
  };
}

/** Returns the columns for these checkpoints at an output width. */
export function listColumns(
  checkpoints: readonly CheckpointMetadata[],
  { now, width }: { readonly now: Date; readonly width: number },
): readonly Column<CheckpointMetadata>[] {
  const projects = new Set(checkpoints.flatMap(({ project, sessionProject = project }) => [project, sessionProject]));
  const shorten = idShortener(
    checkpoints.map(({ id }) => id),
    width,
  );
  return [
    { title: "CHECKPOINT", stays: true, cell: ({ id }) => shorten(id) },
    { title: "AGE", align: "right", stays: true, cell: ({ createdAt }) => formatAge(new Date(createdAt), now) },
    { title: "STORED", align: "right", cell: ({ contextSizeBytes }) => formatBytes(contextSizeBytes) },
    { title: "SESSION", leastWidth: 12, cutFirst: true, cell: (checkpoint) => escapeText(sessionOf(checkpoint, width)) },
    { title: "NAME", leastWidth: 12, stays: true, cell: ({ name }) => escapeText(name ?? "") },
    { title: "TAGS", leastWidth: 8, cell: ({ tags }) => escapeText(tags?.join(", ") ?? "") },
    { title: "STATE", cell: ({ damaged }) => (damaged === true ? "damaged" : "") },
    {
      title: "PROJECT",
      leastWidth: 12,
      keepsEnd: true,
      cell: (checkpoint) => (projects.size > 1 ? escapeText(projectOf(checkpoint)) : ""),
    },
  ];
}

/** Returns the session's id for a program that reads the output, or its name for a person. */
function sessionOf({ sessionId, sessionName = sessionId }: CheckpointMetadata, width: number): string {
  return width === Number.POSITIVE_INFINITY ? sessionId : sessionName;
}

/** Returns the project of the checkpoint, and that of its session if it differs. */
function projectOf({ project = "", sessionProject }: CheckpointMetadata): string {
  return sessionProject === undefined ? project : `${project} (session of ${sessionProject})`;
}

/** Describes the rows that the table does not show. */
function describeRest({ checkpoints, total, offset }: FindCheckpointsResult, options: ListOptions): string | undefined {
  const end = offset + checkpoints.length;
  if (end < total) return `${offset + 1} to ${end} of ${total}; --offset ${end} shows the next.`;
  if (checkpoints.length > 0) return undefined;
  if (total > 0) return `There are only ${total}.`;
  const elsewhere = options.session === undefined && options.allProjects === undefined ? "; --all-projects includes all projects" : "";
  return `No checkpoint found${elsewhere}.`;
}
