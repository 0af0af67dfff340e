import { closest } from "@workrail/runtime/settings";
import { type Command, CommanderError } from "commander";
import { withoutAlias } from "./aliases.ts";
import { helpInOwnName, ownName, type ProgramName, setOwnName } from "./own-name.ts";
import { printFailure, writeData } from "./print.ts";
import { buildProgram } from "./program.ts";
import { withSettingFlags } from "./setting-options.ts";
import { toFailure } from "./to-failure.ts";

/**
 * Runs one command, and sets the exit code that it ends with.
 *
 * @param name by which the program was called.
 */
export async function runCli(name: ProgramName, given: readonly string[]): Promise<void> {
  const args = withoutAlias(given);
  // Before any file is made: SQLite's are created by the umask.
  process.umask(0o077);
  setOwnName(name);
  // A write hears of its own failure; without a listener it would end the process as well.
  for (const stream of [process.stdout, process.stderr]) stream.on("error", ignore);
  const isCompleting = args[0] === "complete" && args[1] === "--";
  const program = buildProgram(name, isCompleting ? undefined : args);
  try {
    if (isCompleting) await complete(program, args.slice(2));
    else if (args[0] === "help") explain(program, args.slice(1));
    else await program.parseAsync(withSettingFlags(args), { from: "user" });
  } catch (error) {
    process.exitCode = report(error, args, program);
  }
}

/** Asked by the scripts that `completion` prints. */
async function complete(program: Command, words: readonly string[]): Promise<void> {
  const { completions } = await import("./complete.ts");
  await writeData(completions(program, words));
}

/** `help trash empty` says what `trash empty --help` does. Commander's own looks at the first word alone, and takes one that it does not know for none. */
function explain(program: Command, words: readonly string[]): void {
  let command = program;
  for (const word of words.filter((each) => !each.startsWith("-"))) {
    const meant = command.commands.find((each) => each.name() === word);
    if (meant === undefined) throw new CommanderError(1, "commander.unknownCommand", `error: unknown command '${word}'`);
    command = meant;
  }
  command.outputHelp();
}

/** Says what went wrong, and returns the exit code that says it too. */
function report(error: unknown, args: readonly string[], program: Command): number {
  const isAnswer = error instanceof CommanderError && error.exitCode === 0;
  if (isAnswer) return 0;
  const json = args.includes("--json");
  const isCommandMissing = error instanceof CommanderError && error.code === "commander.help";
  // Further on its name may be an option's value.
  const command = program.commands.find((each) => each.name() === args[0]);
  if (isCommandMissing && !json) process.stderr.write(`${helpInOwnName((command ?? program).helpInformation())}\n`);
  const failure = toFailure(
    unknownPart(error, args, command),
    `See: ${ownName()}${command === undefined ? "" : ` ${command.name()}`} --help`,
  );
  printFailure(failure, json);
  return failure.exitCode;
}

/** A misspelt part of a command that has a part by default is taken for a word too many. */
function unknownPart(error: unknown, args: readonly string[], command: Command | undefined): unknown {
  const [, word] = args;
  const isWordTooMany = error instanceof CommanderError && error.code === "commander.excessArguments";
  if (!isWordTooMany || command === undefined || word === undefined || word.startsWith("-")) return error;
  const parts = command.commands.map((each) => each.name());
  if (parts.length === 0 || parts.includes(word)) return error;
  const meant = closest(word, parts);
  const suggestion = meant === undefined ? "" : ` (Did you mean ${meant}?)`;
  return new CommanderError(1, "commander.unknownCommand", `error: unknown command '${word}'${suggestion}`);
}

function ignore(): void {}
