import { helpInOwnName, ownName, type ProgramName, setOwnName } from "@workrail/process";
import { closest } from "@workrail/runtime/settings";
import { type Command, CommanderError } from "commander";
import { withoutAlias } from "./aliases.ts";
import { printFailure, writeData } from "./print.ts";
import { buildProgram } from "./program.ts";
import { withSettingFlags } from "./setting-options.ts";
import { toFailure } from "./to-failure.ts";

/**
 * Runs one command and sets the exit code.
 *
 * @param name name by which the program was called.
 */
export async function runCli(name: ProgramName, given: readonly string[]): Promise<void> {
  const args = withoutAlias(given);
  // Before any file is created: the umask determines the mode of SQLite's files.
  process.umask(0o077);
  setOwnName(name);
  // Each write handles its own error; without a listener the error would also end the process.
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

/** Answers the scripts that `completion` prints. */
async function complete(program: Command, words: readonly string[]): Promise<void> {
  const { completions } = await import("./complete.ts");
  await writeData(completions(program, words));
}

/**
 * Shows help: `help trash empty` equals `trash empty --help`. Commander's own help command reads only the first word, and ignores an
 * unknown one.
 */
function explain(program: Command, words: readonly string[]): void {
  let command = program;
  for (const word of words.filter((each) => !each.startsWith("-"))) {
    const meant = command.commands.find((each) => each.name() === word);
    if (meant === undefined) throw new CommanderError(1, "commander.unknownCommand", `error: unknown command '${word}'`);
    command = meant;
  }
  command.outputHelp();
}

/** Prints the failure, and returns its exit code. */
function report(error: unknown, args: readonly string[], program: Command): number {
  const isAnswer = error instanceof CommanderError && error.exitCode === 0;
  if (isAnswer) return 0;
  const json = args.includes("--json");
  const isCommandMissing = error instanceof CommanderError && error.code === "commander.help";
  // Only the first word: a later one may be an option's value.
  const command = program.commands.find((each) => each.name() === args[0]);
  if (isCommandMissing && !json) process.stderr.write(`${helpInOwnName((command ?? program).helpInformation())}\n`);
  const failure = toFailure(
    unknownPart(error, args, command),
    `See: ${ownName()}${command === undefined ? "" : ` ${command.name()}`} --help`,
  );
  printFailure(failure, json);
  return failure.exitCode;
}

/** Converts the error for a misspelt subcommand, which Commander takes for an extra argument of the default subcommand. */
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
