import type { ResumeCandidate, ResumeDepth, ResumedWork, ResumeResult } from "@workrail/runtime";
import { type Command, Option } from "commander";
import { escapeJson, escapeText } from "../escape-text.ts";
import { formatAge } from "../format-age.ts";
import { noteFallback } from "../note-fallback.ts";
import { onceIndexed } from "../once-indexed.ts";
import { parseWhole } from "../parse-option.ts";
import { note, writeData, writeJson } from "../print.ts";
import { printTable } from "../print-table.ts";
import type { Column } from "../render-table.ts";
import { outcomes } from "../shape-context.ts";
import { type GlobalOptions, lookIntoStore } from "../with-store.ts";

interface ResumeOptions extends GlobalOptions {
  readonly checkpoint?: string;
  readonly session?: string;
  readonly depth: ResumeDepth;
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

/** `workrail resume`: finds the work to go on with, and shows where it stands. */
export function addResumeCommand(program: Command): void {
  program
    .command("resume")
    .summary("find the work to go on with, and show where it stands")
    .description(
      "Shows where a piece of work stands, as an agent would take it up, and what happened in its repository since. Without a checkpoint or a session it lists those that may be meant.",
    )
    .argument("[words...]", "what the work is about")
    .option("--checkpoint <id>", "this checkpoint")
    .option("--session <id>", "the latest checkpoint of this session")
    .addOption(
      new Option("--depth <depth>", "how much of it: a document, the context as far as it fits, or all that an answer holds")
        .choices(DEPTHS)
        .default("summary", "summary"),
    )
    .option("--budget <tokens>", "tokens for what is shown", parseWhole)
    .option("--focus <text>", "what matters now: where not all fits, what is about it gets more room")
    .option("--limit <count>", "at most this many that may be meant, up to 20; default: 5", parseWhole)
    .addHelpText("after", EXAMPLES)
    .action(async (words: readonly string[], _options: ResumeOptions, command: Command) => resume(words, command.optsWithGlobals()));
}

async function resume(words: readonly string[], options: ResumeOptions): Promise<void> {
  const { checkpoint, session, depth, budget, focus, limit } = options;
  const hint = words.length === 0 ? undefined : words.join(" ");
  const params = { hint, checkpointId: checkpoint, sessionId: session, depth, budgetTokens: budget, focus, limit };
  const found = await lookIntoStore(options, (store) => {
    const ask = (): Promise<ResumeResult> => store.resumeWork(params);
    return hint === undefined ? ask() : onceIndexed(store, ask);
  });
  await (options.json ? writeJson(found) : tell(found, askedFor(options)));
}

function askedFor({ checkpoint, session }: ResumeOptions): string | undefined {
  if (checkpoint !== undefined) return `checkpoint ${checkpoint}`;
  return session === undefined ? undefined : `session ${session}`;
}

/** @param asked what was asked for by its id. */
async function tell(found: ResumeResult, asked: string | undefined): Promise<void> {
  if (found.status === "LOADED") return show(found);
  if (found.candidates.length === 0) return note(found.note);
  // An id that is there is loaded.
  if (asked !== undefined) note(`There is no ${asked}: these are others.`);
  await printTable(columns(new Date()), found.candidates);
  note("Nothing is shown of them yet: name the one that is meant, as in `workrail resume --session <id>`.");
}

async function show({ summary, context, drift, checkpointId, origin, fellBackFrom, report }: ResumedWork): Promise<void> {
  noteFallback(checkpointId, fellBackFrom, false);
  note(`Checkpoint ${checkpointId}, saved ${origin.savedAt}${origin.agentId === undefined ? "" : ` by ${origin.agentId}`}.`);
  if (drift !== undefined) note(drift.says);
  if (report !== undefined)
    note(`Not all of it is shown, of its entries ${outcomes(report)}: \`workrail show ${checkpointId}\` shows all.`);
  await writeData(`${(summary === undefined ? escapeJson(JSON.stringify(context, undefined, 2)) : escapeJson(summary)).trimEnd()}\n`);
}

/** Ids are never cut: people copy them. */
function columns(now: Date): readonly Column<ResumeCandidate>[] {
  return [
    { title: "SESSION", cell: ({ sessionId }) => sessionId },
    { title: "SAVED", align: "right", cell: ({ savedAt }) => formatAge(new Date(savedAt), now) },
    { title: "WHY", leastWidth: 10, cell: ({ reason }) => escapeText(reason) },
    { title: "NAME", leastWidth: 8, cell: ({ name }) => escapeText(name ?? "") },
    { title: "GOAL", leastWidth: 10, cell: ({ goal }) => escapeText(goal ?? "") },
  ];
}
