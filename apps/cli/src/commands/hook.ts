import { HOOK_EVENTS, HOOK_HOSTS } from "@workrail/runtime/hooks";
import { type Command, Option, Argument } from "commander";
import { mustComeFirst } from "../must-come-first.ts";

/** Describes `workrail hook` for the help. The launcher starts it as a separate program. */
export function addHookCommand(program: Command): void {
  program
    .command("hook")
    .summary("run by coding agents: save a session, and resume it")
    .description(
      "Run by a coding agent, with its JSON on standard input: `workrail setup` installs it. Saves what the agent's transcript holds; at " +
        "the start of a session prints what the model needs to go on. Exits with 0 whatever happens.",
    )
    .addArgument(new Argument("<event>", "what happened in the agent").choices(HOOK_EVENTS))
    .addOption(new Option("--host <host>", "the agent that runs it").choices(HOOK_HOSTS))
    .option("--strict", "say what failed, and exit with 1 then")
    .addHelpText("after", "\nExample:\n  echo '{}' | workrail hook stop --host claude-code\n")
    .action(() => {
      throw mustComeFirst("hook");
    });
}
