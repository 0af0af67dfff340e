import type { SaveCheckpointParams, SaveCheckpointResult } from "@workrail/runtime";
import { type Command, Option } from "commander";
import type { JsonObject } from "@workrail/core";
import { describeSecrets } from "../describe-secrets.ts";
import { formatBytes } from "../format-bytes.ts";
import { collect, parseObject } from "../parse-option.ts";
import { note, writeData, writeJson } from "../print.ts";
import { readContext } from "../read-context.ts";
import { type GlobalOptions, warningsOnly, withStore } from "../with-store.ts";

interface SaveOptions extends GlobalOptions {
  readonly session?: string;
  readonly workflow?: string;
  readonly agent?: string;
  readonly name?: string;
  readonly tag?: readonly string[];
  readonly metadata?: JsonObject;
  readonly parent?: string;
  readonly expectParent?: string;
  readonly expectNew?: true;
  readonly id?: string;
  readonly force?: true;
}

const EXAMPLES = `
Examples:
  workrail save context.json --session my-task --id before-refactoring --name "before the refactoring"
  echo '{"goal":"ship it"}' | workrail save --tag draft --tag monday
`;

/** `workrail save`: keeps a context as a session's latest checkpoint, and prints the checkpoint's id. */
export function addSaveCommand(program: Command): void {
  program
    .command("save")
    .summary("save a context as a session's latest checkpoint")
    .description("Saves a context, one JSON object, as its session's latest checkpoint, and prints the checkpoint's id.")
    .argument("[file]", "file with the context's JSON; default, and -: standard input")
    .option("--session <id>", "session to save in; default: a new one")
    .option(
      "--workflow <id>",
      "workflow that the context belongs to; without --session, its session is found again by the workflow and the first context",
    )
    .option("--agent <id>", "agent that the context belongs to")
    .option("--name <text>", "name of the checkpoint")
    .option("--tag <text>", "tag of the checkpoint; may be repeated", collect)
    .option("--metadata <json>", "further metadata, a JSON object", parseObject)
    .option("--parent <id>", "checkpoint that this one continues; default: the session's latest")
    .option("--expect-parent <id>", "save only if this is still the session's latest checkpoint")
    .addOption(new Option("--expect-new", "save only if the session has no checkpoint yet").conflicts("expectParent"))
    .option("--id <id>", "id of the checkpoint; saving the same context under it again does no harm")
    .option("--force", "save although nothing has changed since the latest checkpoint")
    .addHelpText("after", EXAMPLES)
    .action(async (file: string | undefined, _options: SaveOptions, command: Command) => save(file, command.optsWithGlobals()));
}

async function save(file: string | undefined, options: SaveOptions): Promise<void> {
  // Read first: what is wrong with it is told without a store, and none is kept open while somebody types.
  const params = paramsOf(await readContext(file, warningsOnly(options.json === true)), options);
  const result = await withStore(options, (store) => store.saveCheckpoint(params));
  if (options.json) return writeJson(result);
  for (const line of describe(result)) note(line);
  await writeData(`${result.checkpointId}\n`);
}

function paramsOf(context: unknown, options: SaveOptions): SaveCheckpointParams {
  return {
    sessionId: options.session,
    // Whether it is an object is checked where every context is.
    context: context as object,
    metadata: {
      ...options.metadata,
      ...(options.name === undefined ? {} : { name: options.name }),
      ...(options.tag === undefined ? {} : { tags: [...options.tag] }),
    },
    workflowId: options.workflow,
    agentId: options.agent,
    parentId: options.parent,
    expectedParentId: options.expectNew === true ? null : options.expectParent,
    checkpointId: options.id,
    force: options.force,
  };
}

function describe(result: SaveCheckpointResult): readonly string[] {
  const { sessionId, ignored = [], ignoredMetadata = [], pruned = 0 } = result;
  return [
    result.status === "SAVED"
      ? `Saved ${formatBytes(result.sizeBytes)} in session ${sessionId}.`
      : `Nothing has changed in session ${sessionId} since this checkpoint, so nothing was saved; --force saves all the same.`,
    ...(ignored.length === 0 ? [] : [`Different now, and not kept: ${ignored.join(", ")}.`]),
    ...(ignoredMetadata.length === 0 ? [] : [`Not taken from --metadata, because Workrail sets them: ${ignoredMetadata.join(", ")}.`]),
    ...(pruned === 0 ? [] : [`Checkpoints removed from the session because it was full: ${pruned}.`]),
    ...describeSecrets(result.secrets),
    ...(result.sessionReason === "fresh" ? [`The session is new; --session ${sessionId} goes on in it.`] : []),
  ];
}
