import { escapeText } from "@workrail/process";
import type { FromTrashResult, TrashedMetadata, Workrail } from "@workrail/runtime";
import type { Command } from "commander";
import { formatAge } from "../format-age.ts";
import { formatBytes } from "../format-bytes.ts";
import { givenSession } from "../given-session.ts";
import { note, outputWidth, writeData, writeJson } from "../print.ts";
import { printTable } from "../print-table.ts";
import { removeAfterAsking, type RemovalOptions } from "../remove-after-asking.ts";
import type { Column } from "../render-table.ts";
import { idShortener } from "../shorten-ids.ts";
import { type GlobalOptions, lookIntoStore, withStore } from "../with-store.ts";

interface OfSession {
  readonly session?: string;
}

const EXAMPLES = `
Examples:
  workrail trash list
  workrail trash empty --yes
`;

/** `workrail trash`: lists, restores and empties the trash. */
export function addTrashCommand(program: Command): void {
  const trash = program
    .command("trash")
    .summary("list the trash, restore from it, or empty it")
    .description("Removed checkpoints stay in the trash for a while, and can be restored exactly. The default subcommand is list.")
    .addHelpText("after", EXAMPLES);
  trash
    .command("list", { isDefault: true })
    .summary("list the trash")
    .description("Lists the trash, the oldest removal first.")
    .option("--session <id>", "only this session")
    .addHelpText("after", "\nExample:\n  workrail trash list --session my-task\n")
    .action(async (_options: OfSession, command: Command) => list(command.optsWithGlobals()));
  trash
    .command("restore")
    .summary("restore checkpoints from the trash")
    .description("Restores a session's checkpoints from the trash exactly, in their old places.")
    .argument("[session]", "session to restore")
    .argument("[checkpoints...]", "only these of its checkpoints: ids or id prefixes")
    .option("--session <id>", "the same as [session]")
    .addHelpText("after", "\nExample:\n  workrail trash restore my-task\n")
    .action(async function (first: string | undefined, others: readonly string[]) {
      return restore([first, ...others], this.optsWithGlobals());
    });
  trash
    .command("empty")
    .summary("empty the trash for good")
    .description("Empties the trash for good: its files are overwritten and unlinked. Shows the removals first, and asks.")
    .option("--session <id>", "only this session")
    .option("--dry-run", "only show the removals")
    .option("--yes", "do not ask")
    .addHelpText("after", "\nExample:\n  workrail trash empty --dry-run\n")
    .action(async (_options: object, command: Command) => empty(command.optsWithGlobals()));
}

async function list(options: GlobalOptions & OfSession): Promise<void> {
  const entries = await lookIntoStore(options, (store) => store.listTrash({ sessionId: options.session }));
  if (options.json) return writeJson({ entries });
  if (entries.length === 0) return note("There is nothing in the trash.");
  await printTable(columns(new Date(), entries), entries);
}

async function restore(words: readonly (string | undefined)[], options: GlobalOptions & OfSession): Promise<void> {
  const { session, rest: ids } = givenSession(words, options);
  const bringBack = async (store: Workrail): Promise<FromTrashResult> => {
    const checkpointIds: string[] = [];
    for (const id of ids) checkpointIds.push((await store.resolveCheckpoint(id, { sessionId: session, inTrash: true })).checkpointId);
    return store.restoreFromTrash({ sessionId: session, checkpointIds: ids.length === 0 ? undefined : checkpointIds });
  };
  const restored = await withStore(options, bringBack, { create: false });
  if (options.json) return writeJson(restored);
  note(`Restored checkpoints: ${restored.checkpointIds.length}, in session ${restored.sessionId}.`);
  await writeData(restored.checkpointIds.map((id) => `${id}\n`).join(""));
}

async function empty(options: RemovalOptions & OfSession): Promise<void> {
  await removeAfterAsking(options, (store, how) => store.emptyTrash({ sessionId: options.session, ...how }));
}

function columns(now: Date, entries: readonly TrashedMetadata[]): readonly Column<TrashedMetadata>[] {
  const shorten = idShortener(
    entries.map(({ id }) => id),
    outputWidth(),
  );
  return [
    { title: "CHECKPOINT", stays: true, cell: ({ id }) => shorten(id) },
    { title: "AGE", align: "right", stays: true, cell: ({ createdAt }) => formatAge(new Date(createdAt), now) },
    { title: "TRASHED", align: "right", cell: ({ trashedAt }) => formatAge(new Date(trashedAt), now) },
    { title: "STORED", align: "right", cell: ({ contextSizeBytes }) => formatBytes(contextSizeBytes) },
    { title: "SESSION", leastWidth: 10, cutFirst: true, cell: ({ sessionId }) => escapeText(sessionId) },
    { title: "NAME", leastWidth: 12, stays: true, cell: ({ name, sessionName }) => escapeText(name ?? sessionName ?? "") },
  ];
}
