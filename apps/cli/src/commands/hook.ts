import { HOOK_EVENTS, HOOK_HOSTS } from "@workrail/runtime/hooks";
import { type Command, Option, Argument } from "commander";
import { nameNotFirst } from "../name-not-first.ts";

/** Describes `workrail hook` for the help. The launcher starts it as a separate program. */
export function addHookCommand(program: Command): void {
  program
    .command("hook")
    .summary("run by coding agents: save a session, and resume it")
    .description(
      "A coding agent runs it with JSON on standard input; `workrail setup` installs it. Saves the state of the work from the agent's transcript. At " +
        "the start of a session it prints a resume pack for the model. Exits with 0 even after a failure, unless --strict is given.",
    )
    .addArgument(new Argument("<event>", "the event in the agent").choices(HOOK_EVENTS))
    .addOption(new Option("--host <host>", "the agent that runs it").choices(HOOK_HOSTS))
    .option("--strict", "report a failure, and exit with 1")
    .addHelpText("after", "\nExample:\n  echo '{}' | workrail hook stop --host claude-code\n")
    .action(() => {
      throw nameNotFirst("hook");
    });
}
