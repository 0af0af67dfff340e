import { resolve } from "node:path";
import type { CleanUpParams } from "@workrail/runtime";
import type { Command } from "commander";
import { parseDuration, parsePath, parseWhole } from "../parse-option.ts";
import { removeAfterAsking, type RemovalOptions } from "../remove-after-asking.ts";

interface CleanupOptions extends RemovalOptions {
  readonly olderThan?: number;
  readonly keepLast?: number;
  readonly session?: string;
  readonly project?: string;
  readonly permanently?: true;
  readonly includeKept?: true;
}

const EXAMPLES = `
Examples:
  workrail cleanup --dry-run
  workrail cleanup --older-than 7d --keep-last 5 --yes
  workrail cleanup --session my-task --permanently --yes
`;

/** `workrail cleanup`: removes checkpoints that are no longer needed. */
export function addCleanupCommand(program: Command): void {
  program
    .command("cleanup")
    .summary("remove old checkpoints and sessions")
    .description(
      "Moves checkpoints that match all filters to the trash. Without a filter, runs the automatic clean-up of unused sessions " +
        "and of the excess of a full store. Shows the removals first, and asks.",
    )
    .option("--older-than <duration>", "only sessions not used for this long, such as 7d, 12h or 30m", parseDuration)
    .option("--keep-last <count>", "keep this many of the newest checkpoints of each session", parseWhole)
    .option("--session <id>", "only this session")
    .option("--project <path>", "only this project", parsePath)
    .option("--permanently", "erase for good instead of moving to the trash")
    .option("--include-kept", "also checkpoints and sessions tagged keep")
    .option("--dry-run", "only show the removals")
    .option("--yes", "do not ask")
    .addHelpText("after", EXAMPLES)
    .action(async (_options: CleanupOptions, command: Command) => cleanup(command.optsWithGlobals()));
}

async function cleanup(options: CleanupOptions): Promise<void> {
  const params: CleanUpParams = {
    sessionId: options.session,
    unusedForMs: options.olderThan,
    keepLast: options.keepLast,
    project: options.project === undefined ? undefined : resolve(options.project),
    permanently: options.permanently,
    includeKept: options.includeKept,
  };
  await removeAfterAsking(options, (store, how) => store.cleanUp({ ...params, ...how }));
}
