import { shellWord, WorkrailError } from "@workrail/core";
import type { Command } from "commander";
import { givenSession } from "../given-session.ts";
import { note, writeJson } from "../print.ts";
import { type GlobalOptions, withStore } from "../with-store.ts";

/** `workrail pin`: marks an entry of a session's contexts as critical. */
export function addPinCommand(program: Command): void {
  program
    .command("pin")
    .summary("mark an entry of a session as critical")
    .description(
      "Marks an entry as critical in the session's latest context and in all later ones. Critical entries come back first, and whole where they fit.",
    )
    .argument("[session]", "session of the entry")
    .argument("[key]", "top-level key of the entry")
    .option("--session <id>", "the same as [session]")
    .addHelpText("after", "\nExamples:\n  workrail pin my-task goal\n  workrail pin --session my-task goal\n")
    .action(async function (first: string | undefined, second: string | undefined) {
      return mark([first, second], true, this.optsWithGlobals());
    });
}

/** `workrail unpin`: removes the mark. */
export function addUnpinCommand(program: Command): void {
  program
    .command("unpin")
    .summary("remove the critical mark of an entry")
    .description("Removes the critical mark of an entry. An entry that is critical by its content stays critical.")
    .argument("[session]", "session of the entry")
    .argument("[key]", "key of the entry")
    .option("--session <id>", "the same as [session]")
    .addHelpText("after", "\nExample:\n  workrail pin my-task goal && workrail unpin my-task goal\n")
    .action(async function (first: string | undefined, second: string | undefined) {
      return mark([first, second], false, this.optsWithGlobals());
    });
}

interface MarkOptions extends GlobalOptions {
  readonly session?: string;
}

async function mark(words: readonly (string | undefined)[], critical: boolean, options: MarkOptions): Promise<void> {
  const { session, key } = sessionAndKey(words, options);
  const result = await withStore(options, (store) => store.markCritical({ sessionId: session, contextKey: key, critical }), {
    create: false,
  });
  if (result.status === "KEY_NOT_FOUND") {
    throw new WorkrailError("INVALID_INPUT", result.message, {
      details: { field: "key", sessionId: session, criticalKeys: result.criticalKeys },
      hint: critical
        ? `\`workrail show --session ${shellWord(session)}\` shows its keys.`
        : `Critical keys: ${result.criticalKeys.join(", ") || "none"}.`,
    });
  }
  if (options.json) return writeJson(result);
  note(result.message);
}

function sessionAndKey(words: readonly (string | undefined)[], options: MarkOptions): { readonly session: string; readonly key: string } {
  const { session, rest } = givenSession(words, options);
  const [key, ...more] = rest;
  if (key === undefined || more.length > 0) {
    throw new WorkrailError("INVALID_INPUT", key === undefined ? "No key is given." : "More than one key is given.", {
      hint: `\`workrail show --session ${shellWord(session)}\` shows the keys of its latest context.`,
    });
  }
  return { session, key };
}
