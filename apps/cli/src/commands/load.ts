import { escapeJson } from "@workrail/process";
import type { Command } from "commander";
import { chosenCheckpoint } from "../chosen-checkpoint.ts";
import { noteFallback } from "../note-fallback.ts";
import { writeData } from "../print.ts";
import { type GlobalOptions, lookIntoStore } from "../with-store.ts";

interface LoadOptions extends GlobalOptions {
  readonly checkpoint?: string;
  readonly session?: string;
}

const EXAMPLES = `
Examples:
  workrail load --session my-task > context.json
  workrail load before-refactoring | workrail save --session second-attempt
`;

/** `workrail load`: prints a context's JSON, byte for byte as stored. */
export function addLoadCommand(program: Command): void {
  program
    .command("load")
    .summary("print a context's JSON")
    .description("Prints the exact JSON of the context of a checkpoint, or of a session's latest checkpoint.")
    .argument("[id]", "checkpoint to load: id, id prefix or latest~2")
    .option("--checkpoint <id>", "the same as [id]")
    .option("--session <id>", "load the latest checkpoint of this session; with an id, look for it there")
    .addHelpText("after", EXAMPLES)
    .action(async (id: string | undefined, _options: LoadOptions, command: Command) => load(id, command.optsWithGlobals()));
}

async function load(id: string | undefined, options: LoadOptions): Promise<void> {
  const choice = chosenCheckpoint(id, options);
  const { checkpointId, context, fellBackFrom } = await lookIntoStore(options, async (store) => store.loadCheckpoint(await choice(store)));
  noteFallback(checkpointId, fellBackFrom, options.json === true);
  // Contexts are stored as exactly this text; parsing and serialising gives the same bytes.
  const text = JSON.stringify(context);
  // A terminal must not obey the text, and its prompt needs a line of its own. The escaped JSON has the same value.
  await writeData(process.stdout.isTTY ? `${escapeJson(text)}\n` : text);
}
