import { WorkrailError } from "@workrail/core";
import type { Command } from "commander";
import { note, writeJson } from "../print.ts";
import { type GlobalOptions, withStore } from "../with-store.ts";

/** `workrail pin`: marks an entry of a session's contexts as critical. */
export function addPinCommand(program: Command): void {
  program
    .command("pin")
    .summary("mark an entry of a session as critical")
    .description("Marks an entry of the session's latest context as critical, there and in all later ones: it comes back first, and whole.")
    .argument("<session>", "session that the entry is in")
    .argument("<key>", "key of the entry, at the top of the context")
    .addHelpText("after", "\nExample:\n  workrail pin my-task goal\n")
    .action(async (session: string, key: string, _options: GlobalOptions, command: Command) =>
      mark({ session, key, critical: true }, command.optsWithGlobals()),
    );
}

/** `workrail unpin`: takes that back. */
export function addUnpinCommand(program: Command): void {
  program
    .command("unpin")
    .summary("take back that an entry is critical")
    .description("Takes back that an entry of a session is critical. Entries that are critical for what they hold stay so.")
    .argument("<session>", "session that the entry is in")
    .argument("<key>", "key of the entry")
    .addHelpText("after", "\nExample:\n  workrail pin my-task goal && workrail unpin my-task goal\n")
    .action(async (session: string, key: string, _options: GlobalOptions, command: Command) =>
      mark({ session, key, critical: false }, command.optsWithGlobals()),
    );
}

interface Mark {
  readonly session: string;
  readonly key: string;
  readonly critical: boolean;
}

async function mark({ session, key, critical }: Mark, options: GlobalOptions): Promise<void> {
  const result = await withStore(options, (store) => store.markCritical({ sessionId: session, contextKey: key, critical }));
  if (result.status === "KEY_NOT_FOUND") {
    throw new WorkrailError("INVALID_INPUT", result.message, {
      details: { field: "key", sessionId: session, criticalKeys: result.criticalKeys },
      hint: critical
        ? `\`workrail show --session ${session}\` shows its keys.`
        : `Critical are: ${result.criticalKeys.join(", ") || "none"}.`,
    });
  }
  if (options.json) return writeJson(result);
  note(result.message);
}
