import { escapeJson } from "@workrail/process";
import type { Command } from "commander";
import { chosenCheckpoint } from "../chosen-checkpoint.ts";
import { noteFallback } from "../note-fallback.ts";
import { parseWhole } from "../parse-option.ts";
import { note, writeData, writeJson } from "../print.ts";
import { type GlobalOptions, lookIntoStore } from "../with-store.ts";

interface HandoffOptions extends GlobalOptions {
  readonly session?: string;
  readonly budget?: number;
  readonly focus?: string;
}

const EXAMPLES = `
Examples:
  workrail handoff --session my-task > handoff.md
  workrail handoff before-refactoring --budget 1000
`;

/** `workrail handoff`: writes a document on the state of some work for another person or agent. */
export function addHandoffCommand(program: Command): void {
  program
    .command("handoff")
    .summary("write a document for whoever takes over the work")
    .description(
      "Prints a Markdown document for whoever takes over the work: goal, state, decisions, next steps, open questions, files, and how to get the rest.",
    )
    .argument("[id]", "checkpoint to hand over: id, id prefix or latest~2")
    .option("--session <id>", "the latest checkpoint of this session; with an id, look for it there")
    .option("--budget <tokens>", "maximum tokens of the document; default: 2,000", parseWhole)
    .option("--focus <text>", "the next task or question: related content is kept first")
    .addHelpText("after", EXAMPLES)
    .action(async (id: string | undefined, _options: HandoffOptions, command: Command) => handoff(id, command.optsWithGlobals()));
}

async function handoff(id: string | undefined, options: HandoffOptions): Promise<void> {
  const { budget, focus } = options;
  const choice = chosenCheckpoint(id, options);
  const result = await lookIntoStore(options, async (store) => store.handoff({ ...(await choice(store)), budgetTokens: budget, focus }));
  if (options.json) return writeJson(result);
  noteFallback(result.checkpointId, result.fellBackFrom, false);
  const { markdown, tokens, shortened, leftOut } = result;
  note(`${tokens} tokens; entries shortened: ${shortened}, left out: ${leftOut}.`);
  await writeData(`${escapeJson(markdown).trimEnd()}\n`);
}
