import { isWorkrailError, type JsonObject, WorkrailError, shellWord } from "@workrail/core";
import { nestedMetadata, type SaveCheckpointParams, type SaveCheckpointResult, type Workrail } from "@workrail/runtime";
import { type Command, Option } from "commander";
import { checkpointIdOf } from "../chosen-checkpoint.ts";
import { describeSecrets } from "../describe-secrets.ts";
import { formatBytes } from "../format-bytes.ts";
import { collect, parseObject } from "../parse-option.ts";
import { note, writeData, writeJson } from "../print.ts";
import { readContext } from "../read-context.ts";
import { type GlobalOptions, warningsOnly, withStore } from "../with-store.ts";

interface SaveOptions extends GlobalOptions {
  readonly patch?: string;
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
  echo '{"set":{"step":4},"append":{"log":["built"]},"remove":["draft"]}' | workrail save --session my-task --patch -
`;

/** `workrail save`: saves a context as a session's latest checkpoint, and prints the checkpoint's id. */
export function addSaveCommand(program: Command): void {
  program
    .command("save")
    .summary("save a context as a session's latest checkpoint")
    .description("Saves a context, one JSON object, as its session's latest checkpoint, and prints the checkpoint's id.")
    .argument("[file]", "file with the context's JSON, the whole state; default or -: standard input")
    .option(
      "--patch <file>",
      "file with the changes since the latest checkpoint, or since --parent: set, append, remove; -: standard input",
    )
    .option("--session <id>", "session to save in; default: a new one")
    .option("--workflow <id>", "workflow of the context; without --session, the workflow and the first context identify the session")
    .option("--agent <id>", "agent of the context")
    .option("--name <text>", "name of the checkpoint")
    .option("--tag <text>", "tag of the checkpoint; may be repeated", collect)
    .option("--metadata <json>", "further metadata, a JSON object", parseObject)
    .option("--parent <id>", "parent of the checkpoint; default: the session's latest")
    .option("--expect-parent <id>", "save only if this is still the session's latest checkpoint")
    .addOption(new Option("--expect-new", "save only if the session has no checkpoint yet").conflicts("expectParent"))
    .option("--id <id>", "id of the checkpoint; saving the same context with this id again is harmless")
    .option("--force", "save even an unchanged context")
    .addHelpText("after", EXAMPLES)
    .action(async (file: string | undefined, _options: SaveOptions, command: Command) => save(file, command.optsWithGlobals()));
}

async function save(file: string | undefined, options: SaveOptions): Promise<void> {
  if (file !== undefined && options.patch !== undefined) throw bothGiven(file, options.patch);
  // Read before the store is opened: faults in the input need no store, and the store is not open while the user types.
  const given = await readContext(options.patch ?? file, warningsOnly(options.json === true));
  // The use case checks that it is an object.
  const state = options.patch === undefined ? { context: given as object } : { patch: given as object };
  const params = paramsOf(state, options);
  const result = await withStore(options, async (store) => store.saveCheckpoint(await withParents(params, store)));
  if (options.json) return writeJson(result);
  for (const line of describe(result)) note(line);
  await writeData(`${result.checkpointId}\n`);
}

function bothGiven(file: string, patch: string): WorkrailError {
  return new WorkrailError("INVALID_INPUT", `Give either the whole state, ${file}, or changes, --patch ${patch}, not both.`, {
    details: { field: "patch" },
    hint: "Leave the file out to save the changes, or --patch to save the whole state.",
  });
}

function paramsOf(state: Pick<SaveCheckpointParams, "context" | "patch">, options: SaveOptions): SaveCheckpointParams {
  return {
    sessionId: options.session,
    ...state,
    metadata: {
      ...nestedMetadata(options.metadata ?? {}),
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

/** Resolves abbreviated ids of the parent and the expected parent. */
async function withParents(params: SaveCheckpointParams, store: Workrail): Promise<SaveCheckpointParams> {
  const { parentId, expectedParentId } = params;
  return {
    ...params,
    parentId: typeof parentId === "string" ? await checkpointIdOf(store, parentId) : parentId,
    expectedParentId: typeof expectedParentId === "string" ? await expectedIdOf(store, expectedParentId) : expectedParentId,
  };
}

/** Resolves the expected parent. A missing one is passed on: the save then reports the concurrent save. */
async function expectedIdOf(store: Workrail, reference: string): Promise<string> {
  try {
    return await checkpointIdOf(store, reference);
  } catch (error) {
    if (isWorkrailError(error) && error.code === "CHECKPOINT_NOT_FOUND") return reference;
    throw error;
  }
}

function describePatch({ patched, droppedKeys = [], droppedKeysCount, warning, parentId }: SaveCheckpointResult): readonly string[] {
  const { base, set = [], appended = {}, removed = [], notFound = [], replaced = {}, keptKeys } = patched ?? {};
  const parts = [
    ...(set.length === 0 ? [] : [`set ${set.join(", ")}`]),
    ...Object.entries(appended).map(([name, count]) => `appended ${count} to ${name}`),
    ...(removed.length === 0 ? [] : [`removed ${removed.join(", ")}`]),
    `kept ${keptKeys} entries`,
  ];
  const left = droppedKeysCount === undefined ? "" : ` and ${droppedKeysCount - droppedKeys.length} more`;
  return [
    ...(base === undefined ? [] : [`Changed ${base}: ${parts.join("; ")}.`]),
    ...Object.entries(replaced).map(([name, sizes]) => `Replaced ${name}: ${sizes}.`),
    ...(notFound.length === 0 ? [] : [`Not removed, because missing: ${notFound.join(", ")}.`]),
    ...(droppedKeys.length === 0 ? [] : [`Entries of the parent that are missing in this state: ${droppedKeys.join(", ")}${left}.`]),
    ...(warning === undefined ? [] : [`Warning: ${forShell(warning, parentId)}`]),
  ];
}

function describe(result: SaveCheckpointResult): readonly string[] {
  const { sessionId, ignored = [], ignoredMetadata = [], pruned = 0 } = result;
  return [
    result.status === "SAVED"
      ? `Saved in session ${sessionId}, stored in ${formatBytes(result.sizeBytes)}.`
      : `Nothing has changed in session ${sessionId} since this checkpoint, so nothing was saved; --force saves it anyway.`,
    ...describePatch(result),
    ...(ignored.length === 0 ? [] : [`Different but not saved: ${ignored.join(", ")}.`]),
    ...(ignoredMetadata.length === 0 ? [] : [`Ignored in --metadata, because Workrail sets them: ${ignoredMetadata.join(", ")}.`]),
    ...(pruned === 0 ? [] : [`Checkpoints removed from the session because it was full: ${pruned}.`]),
    ...describeSecrets(result.secrets),
    ...(result.sessionReason === "fresh" ? [`The session is new; --session ${shellWord(sessionId)} continues it.`] : []),
  ];
}

/** Start of the advice to agents on dropped entries. */
const ADVICE = " If they are still valid,";

/** Rewrites a warning for the command line: the option in place of the tool's fields. */
function forShell(warning: string, parentId: string | null | undefined): string {
  const at = warning.indexOf(ADVICE);
  if (at < 0 || typeof parentId !== "string") return warning;
  return `${warning.slice(0, at + ADVICE.length)} save your changes with --patch and --parent ${shellWord(parentId)}.`;
}
