import { escapeText } from "@workrail/process";
import type { Command } from "commander";
import { givenSession } from "../given-session.ts";
import { collect } from "../parse-option.ts";
import { writeData, writeJson } from "../print.ts";
import { type GlobalOptions, withStore } from "../with-store.ts";

interface TagOptions extends GlobalOptions {
  readonly session?: string;
  readonly remove?: readonly string[];
}

const EXAMPLES = `
Examples:
  workrail tag my-task billing urgent
  workrail tag my-task --remove urgent
`;

/** `workrail tag`: adds tags to a session or removes them, and prints the resulting tags. */
export function addTagCommand(program: Command): void {
  program
    .command("tag")
    .summary("add tags to a session, or remove them")
    .description("Adds or removes tags of a session, and prints its tags. They apply to all of its checkpoints.")
    .argument("[session]", "session to tag")
    .argument("[tags...]", "tags to add")
    .option("--session <id>", "the same as [session]")
    .option("--remove <text>", "tag to remove; may be repeated", collect)
    .addHelpText("after", EXAMPLES)
    .action(async function (first: string | undefined, others: readonly string[]) {
      return tag([first, ...others], this.optsWithGlobals());
    });
}

async function tag(words: readonly (string | undefined)[], options: TagOptions): Promise<void> {
  const { session: sessionId, rest: tags } = givenSession(words, options);
  const params = { sessionId, add: [...tags], remove: [...(options.remove ?? [])] };
  const session = await withStore(options, (store) => store.tagSession(params), { create: false });
  if (options.json) return writeJson(session);
  await writeData((session.tags ?? []).map((each) => `${escapeText(each)}\n`).join(""));
}
