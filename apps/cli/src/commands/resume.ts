import { shellWord } from "@workrail/core";
import { callOf, escapeJson, escapeText } from "@workrail/process";
import type { ResumeCandidate, ResumeDepth, ResumedWork, ResumeResult, ChangeFields } from "@workrail/runtime";
import { type Command, Option } from "commander";
import { formatAge } from "../format-age.ts";
import { noteFallback } from "../note-fallback.ts";
import { onceIndexed } from "../once-indexed.ts";
import { parseWhole } from "../parse-option.ts";
import { note, writeData, writeJson } from "../print.ts";
import { printTable } from "../print-table.ts";
import type { Column } from "../render-table.ts";
import { type GlobalOptions, lookIntoStore } from "../with-store.ts";

interface ResumeOptions extends GlobalOptions {
  readonly checkpoint?: string;
  readonly session?: string;
  readonly depth: ResumeDepth;
  readonly since?: string;
  readonly budget?: number;
  readonly focus?: string;
  readonly limit?: number;
}

const DEPTHS: readonly ResumeDepth[] = ["summary", "view", "full"];

const EXAMPLES = `
Examples:
  workrail resume
  workrail resume --session my-task --budget 1000
`;

/** `workrail resume`: finds work to continue, and shows its state. */
export function addResumeCommand(program: Command): void {
  program
    .command("resume")
    .summary("find work to resume, and show its state")
    .description(
      "Shows the state of saved work as an agent gets it, and the changes in its repository since. Without a checkpoint or a session, shows the only candidate, or lists the candidates with the commands that show them.",
    )
    .argument("[words...]", "what the work is about")
    .option("--checkpoint <id>", "this checkpoint: id, id prefix or latest~2")
    .option("--session <id>", "the latest checkpoint of this session")
    .addOption(
      new Option("--depth <depth>", "depth: a document, the part of the context that fits, or as much as an answer can hold")
        .choices(DEPTHS)
        .default("summary", "summary"),
    )
    .option("--since <id>", "only changes since this checkpoint, as --depth view")
    .option("--budget <tokens>", "maximum tokens of the output", parseWhole)
    .option("--focus <text>", "the next task or question: related content is kept first")
    .option("--limit <count>", "at most this many candidates, up to 20; default: 5", parseWhole)
    .addHelpText("after", EXAMPLES)
    .action(async (words: readonly string[], _options: ResumeOptions, command: Command) => resume(words, command.optsWithGlobals()));
}

async function resume(words: readonly string[], options: ResumeOptions): Promise<void> {
  const { checkpoint, session, since, budget, focus, limit } = options;
  const depth = since === undefined ? options.depth : "view";
  const hint = words.length === 0 ? undefined : words.join(" ");
  const params = {
    hint,
    checkpointId: checkpoint,
    sessionId: session,
    depth,
    since,
    budgetTokens: budget,
    focus,
    limit,
  };
  const found = await lookIntoStore(options, (store) => {
    const ask = (): Promise<ResumeResult> => store.resumeWork(params);
    return hint === undefined ? ask() : onceIndexed(store, ask);
  });
  if (options.json) return writeJson(found);
  const named = namedBy(options);
  const only = found.status === "CANDIDATES" && named === undefined && found.total === 1 ? found.candidates[0] : undefined;
  if (only === undefined) return tell(found, named);
  note(`The only candidate is session ${only.sessionId}: ${only.reason}.`);
  const one = { checkpointId: only.checkpointId, depth, budgetTokens: budget, focus };
  await tell(await lookIntoStore(options, (store) => store.resumeWork(one)), undefined);
}

/** Returns the id that does not exist if candidates are found. Next to another id, an unknown `--since` is an error instead. */
function namedBy({ checkpoint, session, since }: ResumeOptions): string | undefined {
  if (checkpoint !== undefined) return `checkpoint ${checkpoint}`;
  if (session !== undefined) return `session ${session}`;
  return since === undefined ? undefined : `checkpoint ${since}`;
}

const NOTHING = "Nothing is saved in this project yet. `workrail sessions --all-projects` lists the sessions of all projects.";

/** @param named kind and id of what the user named, such as `session shop`. */
async function tell(found: ResumeResult, named: string | undefined): Promise<void> {
  if (found.status === "LOADED") return show(found);
  if (found.candidates.length === 0) return note(NOTHING);
  // Candidates come only when the named id does not exist.
  if (named !== undefined) note(`There is no ${named}. These exist:`);
  await printTable(columns(new Date()), found.candidates);
  note("Commands that show them:");
  for (const { sessionId } of found.candidates) note(`  ${callOf(`resume --session ${shellWord(sessionId)}`)}`);
}

async function show({
  summary,
  context,
  changes,
  drift,
  checkpointId,
  origin,
  fellBackFrom,
  shortened,
  omitted,
  warning,
}: ResumedWork): Promise<void> {
  noteFallback(checkpointId, fellBackFrom, false);
  note(`Checkpoint ${checkpointId}, saved ${origin.savedAt}${origin.agentId === undefined ? "" : ` by ${origin.agentId}`}.`);
  if (warning !== undefined) note(warning);
  if (changes !== undefined) note(escapeText(describeChanges(changes)));
  if (drift !== undefined) note(drift.says);
  if (shortened !== undefined || omitted !== undefined)
    note(`${describeOmissions(shortened, omitted)} \`workrail show ${checkpointId}\` shows all.`);
  if (summary !== undefined) note(`\`workrail show ${checkpointId}\` shows all that was saved.`);
  await writeData(`${(summary === undefined ? escapeJson(JSON.stringify(context, undefined, 2)) : escapeJson(summary)).trimEnd()}\n`);
}

/** Counts the entries that are shortened or left out. Entries that are only rewritten are complete. */
function describeOmissions(shortened: ResumedWork["shortened"], omitted: ResumedWork["omitted"]): string {
  const rewritten = shortened?.entries.filter(({ characters, shown }) => shown === characters).length ?? 0;
  const cut = (shortened?.count ?? 0) - rewritten;
  const complete = rewritten === 0 ? "" : ` Complete, but in another form, such as a list as a table: ${rewritten}.`;
  if (cut === 0 && omitted === undefined) return `Nothing is left out.${complete}`;
  return `Not all entries are whole: ${cut} shortened, ${omitted?.count ?? 0} left out.${complete}`;
}

function describeChanges({ since, added = [], changed = {}, removed = [], unchanged }: ChangeFields): string {
  const sizes = Object.entries(changed).map(([key, size]) => (size === "changed" ? key : `${key} (${size})`));
  const parts = [
    ...(added.length === 0 ? [] : [`added: ${added.join(", ")}`]),
    ...(sizes.length === 0 ? [] : [`changed: ${sizes.join(", ")}`]),
    ...(removed.length === 0 ? [] : [`removed: ${removed.join(", ")}`]),
  ];
  return `Since ${since}: ${parts.length === 0 ? "nothing changed" : parts.join("; ")}. Unchanged entries: ${unchanged}.`;
}

function columns(now: Date): readonly Column<ResumeCandidate>[] {
  return [
    { title: "SESSION", leastWidth: 12, cutFirst: true, stays: true, cell: ({ sessionId }) => escapeText(sessionId) },
    { title: "AGE", align: "right", stays: true, cell: ({ savedAt }) => formatAge(new Date(savedAt), now) },
    { title: "WHY", leastWidth: 10, cell: ({ reason }) => escapeText(reason) },
    { title: "NAME", leastWidth: 12, stays: true, cell: ({ name, goal }) => escapeText(name ?? goal ?? "") },
    { title: "GOAL", leastWidth: 10, cell: ({ name, goal }) => escapeText(name === undefined ? "" : (goal ?? "")) },
  ];
}
