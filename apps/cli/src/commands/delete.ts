import { WorkrailError } from "@workrail/core";
import type { Command } from "commander";
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

/** `workrail delete`: removes certain checkpoints, or a whole session. */
export function addDeleteCommand(program: Command): void {
  program
    .command("delete")
    .summary("remove checkpoints, or a session")
    .description(
      "Moves checkpoints, or all of a session, into the trash. With --permanently they are erased, in the trash or not, so that nothing of them is left " +
        "in the store. Says first what would go, and asks.",
    )
    .argument("[checkpoints...]", "checkpoints to remove")
    .option("--session <id>", "all of this session")
    .option("--permanently", "erase them: nothing can bring them back")
    .option("--include-kept", "also what is tagged keep")
    .option("--dry-run", "only say what would go")
    .option("--yes", "do not ask")
    .addHelpText("after", EXAMPLES)
    .action(async (ids: readonly string[], _options: DeleteOptions, command: Command) => remove(ids, command.optsWithGlobals()));
}

async function remove(ids: readonly string[], options: DeleteOptions): Promise<void> {
  const { session, permanently, includeKept } = options;
  if (ids.length > 0 === (session !== undefined)) throw wrongChoice();
  const chosen = session === undefined ? { checkpointIds: [...ids] } : { sessionId: session };
  if (permanently !== true) return removeAfterAsking(options, (store, how) => store.cleanUp({ ...chosen, includeKept, ...how }));
  const sparesKept = includeKept !== true;
  await doAfterAsking(options, (store, { dryRun }) => store.erase({ ...chosen, sparesKept, dryRun }), {
    isNothing: ({ erased }) => erased.length === 0 && session === undefined,
    describe: describeErasure,
  });
}

function wrongChoice(): WorkrailError {
  return new WorkrailError("INVALID_INPUT", "Name either checkpoints or a session.", {
    hint: "`workrail list` shows both; `workrail cleanup` removes by age and by number.",
  });
}
