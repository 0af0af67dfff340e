import { escapeJson, escapeText } from "@workrail/process";
import { type CheckpointMetadata, flatMetadata, type LoadCheckpointResult } from "@workrail/runtime";
import type { Command } from "commander";
import { chosenCheckpoint } from "../chosen-checkpoint.ts";
import { noteFallback } from "../note-fallback.ts";
import { styled, writeData, writeJson } from "../print.ts";
import { textWidth } from "../text-width.ts";
import { type GlobalOptions, lookIntoStore } from "../with-store.ts";

interface ShowOptions extends GlobalOptions {
  readonly session?: string;
}

const EXAMPLES = `
Examples:
  workrail show before-refactoring
  workrail show --session my-task --json
`;

/** Metadata fields in the order in which people look for them. Fields that a caller added follow. */
const FIELDS = ["id", "sessionId", "sequence", "parentId", "name", "tags", "kind", "createdAt", "lastAccessedAt", "agentId", "workflowId"];

/** `workrail show`: prints metadata and context of a checkpoint. */
export function addShowCommand(program: Command): void {
  program
    .command("show")
    .summary("print a whole checkpoint: metadata and context")
    .description("Prints a whole checkpoint: its metadata, then its context as indented JSON.")
    .argument("[id]", "checkpoint to show: id, id prefix or latest~2")
    .option("--session <id>", "show the latest checkpoint of this session; with an id, look for it there")
    .addHelpText("after", EXAMPLES)
    .action(async (id: string | undefined, _options: ShowOptions, command: Command) => show(id, command.optsWithGlobals()));
}

async function show(id: string | undefined, options: ShowOptions): Promise<void> {
  const choice = chosenCheckpoint(id, options);
  const { metadata, context, fellBackFrom } = await lookIntoStore(options, async (store) => store.loadCheckpoint(await choice(store)));
  noteFallback(metadata.id, fellBackFrom, options.json === true);
  if (options.json) return writeJson({ metadata, context });
  await writeData(forPeople({ metadata, context }));
}

function forPeople({ metadata, context }: Pick<LoadCheckpointResult, "metadata" | "context">): string {
  const fields = inOrder(metadata).map(([name, value]) => [escapeText(name), escapeText(plain(value))] as const);
  const width = Math.max(...fields.map(([name]) => textWidth(name)));
  const lines = fields.map(([name, value]) => {
    return `${styled("dim", name, process.stdout)}${" ".repeat(width - textWidth(name))}  ${value}\n`;
  });
  return `${lines.join("")}\n${escapeJson(JSON.stringify(context, undefined, 2))}\n`;
}

function inOrder(saved: CheckpointMetadata): readonly (readonly [string, unknown])[] {
  const metadata = flatMetadata(saved);
  const known = FIELDS.filter((name) => Object.hasOwn(metadata, name)).map((name) => [name, metadata[name]] as const);
  return [...known, ...Object.entries(metadata).filter(([name]) => !FIELDS.includes(name))];
}

function plain(value: unknown): string {
  if (typeof value === "string") return value;
  if (Array.isArray(value) && value.every((each) => typeof each === "string")) return value.join(", ");
  return value === null ? "none" : JSON.stringify(value);
}
