import { WorkrailError } from "@workrail/core";
import type { Workrail } from "@workrail/runtime";
import type { Command } from "commander";
import { checkpointIdOf } from "../chosen-checkpoint.ts";
import { describeErasure } from "../describe-erasure.ts";
import { doAfterAsking, removeAfterAsking, type RemovalOptions } from "../remove-after-asking.ts";

interface DeleteOptions extends RemovalOptions {
  readonly session?: string;
  readonly permanently?: true;
  readonly includeKept?: true;
}

const EXAMPLES = `
Examples:
  workrail delete before-refactoring --dry-run
  workrail delete --session my-task --yes
  workrail delete --session my-task --permanently --yes
`;

/** `workrail delete`: removes checkpoints, or a whole session. */
export function addDeleteCommand(program: Command): void {
  program
    .command("delete")
    .summary("remove checkpoints, or a session")
    .description(
      "Moves checkpoints, or a whole session, to the trash. --permanently erases them from the store, also from the trash. " +
        "Shows the removals first, and asks.",
    )
    .argument("[checkpoints...]", "checkpoints to remove: ids, id prefixes or latest~2")
    .option("--session <id>", "the whole session")
    .option("--permanently", "erase them beyond recovery")
    .option("--include-kept", "also checkpoints and sessions tagged keep")
    .option("--dry-run", "only show the removals")
    .option("--yes", "do not ask")
    .addHelpText("after", EXAMPLES)
    .action(async (ids: readonly string[], _options: DeleteOptions, command: Command) => remove(ids, command.optsWithGlobals()));
}

async function remove(ids: readonly string[], options: DeleteOptions): Promise<void> {
  const { session, permanently, includeKept } = options;
  if (ids.length > 0 === (session !== undefined)) throw wrongChoice();
  // Resolved once: `latest` may mean another checkpoint by the time the person has answered.
  let found: Chosen | undefined;
  const chosen = async (store: Workrail): Promise<Chosen> => {
    found ??= session === undefined ? { checkpointIds: await idsOf(store, ids) } : { sessionId: session };
    return found;
  };
  if (permanently !== true) {
    return removeAfterAsking(options, async (store, how) => store.cleanUp({ ...(await chosen(store)), includeKept, ...how }));
  }
  const sparesKept = includeKept !== true;
  await doAfterAsking(options, async (store, { dryRun }) => store.erase({ ...(await chosen(store)), sparesKept, dryRun }), {
    isNothing: ({ erased }) => erased.length === 0 && session === undefined,
    describe: describeErasure,
  });
}

interface Chosen {
  readonly checkpointIds?: readonly string[];
  readonly sessionId?: string;
}

async function idsOf(store: Workrail, references: readonly string[]): Promise<readonly string[]> {
  const ids: string[] = [];
  for (const reference of references) ids.push(await checkpointIdOf(store, reference));
  return ids;
}

function wrongChoice(): WorkrailError {
  return new WorkrailError("INVALID_INPUT", "Name either checkpoints or a session.", {
    hint: "`workrail list` shows both; `workrail cleanup` removes by age and by number.",
  });
}
