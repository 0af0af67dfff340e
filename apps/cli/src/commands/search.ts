import { CHECKPOINT_KINDS, type CheckpointKind } from "@workrail/core";
import { escapeText } from "@workrail/process";
import type { SearchCheckpointsResult, SearchHit } from "@workrail/runtime";
import { type Command, Option } from "commander";
import { formatAge } from "../format-age.ts";
import { onceIndexed } from "../once-indexed.ts";
import { collect, parseWhole } from "../parse-option.ts";
import { note, outputWidth, styled, writeData, writeJson } from "../print.ts";
import { idShortener } from "../shorten-ids.ts";
import { type GlobalOptions, lookIntoStore } from "../with-store.ts";

interface SearchOptions extends GlobalOptions {
  readonly session?: string;
  readonly tag?: readonly string[];
  readonly since?: string;
  readonly until?: string;
  readonly workflow?: string;
  readonly agent?: string;
  readonly kind?: CheckpointKind;
  readonly limit?: number;
}

const EXAMPLES = `
Examples:
  workrail search refactoring
  workrail search '"exact words"' --session my-task --json
`;

/** `workrail search`: finds checkpoints by the words of their texts. */
export function addSearchCommand(program: Command): void {
  program
    .command("search")
    .summary("find checkpoints by the words of their texts")
    .description(
      "Finds checkpoints by the words of their texts, names, summaries and tags, the best first. Of similar matches, the working directory's project comes first.",
    )
    .argument("<words...>", "words to look for; quoted phrases must occur exactly")
    .option("--session <id>", "only in this session")
    .option("--tag <text>", "only with this tag, on the checkpoint or its session; may be repeated", collect)
    .option("--since <time>", "only from this time on (ISO 8601)")
    .option("--until <time>", "only up to this time, or to the end of this day (ISO 8601)")
    .option("--workflow <id>", "only of this workflow")
    .option("--agent <id>", "only of this agent")
    .addOption(new Option("--kind <kind>", "only of this kind; default: all but asides").choices(CHECKPOINT_KINDS))
    .option("--limit <count>", "at most this many, up to 100; default: 5", parseWhole)
    .addHelpText("after", EXAMPLES)
    .action(async (words: readonly string[], _options: SearchOptions, command: Command) => search(words, command.optsWithGlobals()));
}

async function search(words: readonly string[], options: SearchOptions): Promise<void> {
  const { session, tag, since, until, workflow, agent, kind, limit } = options;
  const params = {
    query: words.join(" "),
    sessionId: session,
    tags: tag === undefined ? undefined : [...tag],
    since,
    until,
    workflowId: workflow,
    agentId: agent,
    kinds: kind === undefined ? undefined : [kind],
    limit,
  };
  const found = await lookIntoStore(options, (store) => onceIndexed(store, () => store.searchCheckpoints(params)));
  if (options.json) return writeJson(found);
  const now = new Date();
  const shorten = idShortener(
    found.hits.map(({ checkpoint }) => checkpoint.id),
    outputWidth(),
  );
  await writeData(found.hits.map((hit) => `${describe(hit, shorten(hit.checkpoint.id), now).join("\n")}\n`).join("\n"));
  for (const line of remarks(found)) note(line);
}

function describe({ checkpoint, snippet, score, by }: SearchHit, id: string, now: Date): readonly string[] {
  const { sessionId, sessionName, createdAt, name = sessionName, project } = checkpoint;
  const about = [
    `session ${sessionId}`,
    formatAge(new Date(createdAt), now),
    ...(name === undefined ? [] : [name]),
    ...(project === undefined ? [] : [project]),
    `score ${score.toFixed(2)}${by === undefined ? "" : ` by ${by}`}`,
  ];
  const head = `${styled("yellow", id, process.stdout)}  ${escapeText(about.join("  "))}`;
  return [head, ...(snippet === undefined ? [] : [`  ${escapeText(snippet.replaceAll(/\s+/gu, " "))}`])];
}

function remarks({ hits, loose, indexPending, meaning }: SearchCheckpointsResult): readonly string[] {
  return [
    ...(hits.length === 0 ? ["Nothing was found."] : []),
    ...(loose === true
      ? ["No exact match: the results have single words of a phrase, or words of similar meaning, beginning or spelling."]
      : []),
    ...(indexPending === undefined ? [] : [`Sessions whose newest texts are not indexed yet, and may be missing here: ${indexPending}.`]),
    ...(meaning?.failed === undefined ? [] : [`The search by meaning failed: ${meaning.failed}`]),
  ];
}
