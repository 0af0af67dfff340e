import { WorkrailError } from "@workrail/core";
import { SETUP_HOSTS, type SetupHost, type SetupPlan } from "@workrail/host-setup";
import { Argument, type Command, Option } from "commander";
import { EXIT_CODES } from "../exit-codes.ts";
import { note, printWarning, writeData, writeJson, writeMessage } from "../print.ts";
import { confirm } from "../remove-after-asking.ts";
import { type HostOptions, type HostSetup, openHostSetup } from "../open-host-setup.ts";

/** The exit code tells a script that a person declined. */
const DECLINED = 1;

const EXAMPLES = `
Examples:
  workrail setup claude-code --dry-run
  workrail setup claude-code --scope project --yes
  workrail setup claude-code --scope project --remove --yes
`;

/** `workrail setup`: connects coding agents to Workrail, or disconnects them. */
export function addSetupCommand(program: Command): void {
  program
    .command("setup")
    .summary("connect coding agents: MCP server and hooks")
    .description(
      "Writes the MCP server and the hooks of Workrail into the settings of coding agents. Shows the changes first, and asks. " +
        "Without a name, connects every installed agent.",
    )
    .addArgument(new Argument("[host...]", "agents").choices(SETUP_HOSTS))
    .addOption(new Option("--scope <scope>", "for all your projects, or only for this one").choices(["user", "project"]).default("user"))
    .option("--remove", "remove the entries")
    .option("--dry-run", "only show what would change")
    .option("--yes", "do not ask")
    .option("--no-hooks", "leave the hooks out")
    .option("--no-mcp", "leave the MCP server out")
    .option("--pin", "start this version of the MCP server, not the latest")
    .option("--local", "start the MCP server that is installed here, not the one from npm")
    .addHelpText("after", EXAMPLES)
    .action(async (hosts: readonly SetupHost[], _options: HostOptions, command: Command) => setup(hosts, command.optsWithGlobals()));
}

async function setup(named: readonly SetupHost[], options: HostOptions): Promise<void> {
  const isJson = options.json === true;
  const opened = await openHostSetup(options);
  const hosts = named.length > 0 ? [...new Set(named)] : opened.found();
  if (hosts.length === 0) throw nothingFound();
  const plans = hosts.map((host) => opened.plan(host));
  const mustAsk = options.dryRun !== true && options.yes !== true && plans.some(({ changes }) => changes.length > 0);
  if (mustAsk && !process.stdin.isTTY) {
    if (!isJson) await writeData(await forPeople(opened, plans));
    throw noTerminal();
  }
  for (const warning of opened.warnings) printWarning(warning, {}, isJson);
  const done = options.dryRun === true ? [] : await applied(opened, plans, mustAsk);
  if (plans.some(({ faults }) => faults.length > 0)) process.exitCode = EXIT_CODES.INVALID_INPUT;
  if (isJson) return writeJson(answerOf(plans, done, options));
  if (!mustAsk) await writeData(await forPeople(opened, plans));
  if (options.dryRun !== true) note(summaryOf(done));
}

/** Applies the plans that change something, in order. On a terminal it asks first, and skips the plans that the person declines. */
async function applied(opened: HostSetup, plans: readonly SetupPlan[], mustAsk: boolean): Promise<readonly SetupPlan[]> {
  const done: SetupPlan[] = [];
  for (const plan of plans) {
    // Printed beside the question on the terminal, also when standard output is redirected.
    if (mustAsk) writeMessage(await forPeople(opened, [plan]));
    if (plan.changes.length === 0) continue;
    if (mustAsk && !(await confirm(`Change ${opened.titleOf(plan.host)}?`, process.stdin, process.stderr))) {
      process.exitCode = DECLINED;
      continue;
    }
    await opened.apply(plan);
    done.push(plan);
  }
  return done;
}

/** Loads the line-diff library only when a person sees the result. */
async function forPeople(opened: HostSetup, plans: readonly SetupPlan[]): Promise<string> {
  const { describePlan } = await import("../describe-plan.ts");
  return plans.map((plan) => describePlan(opened.titleOf(plan.host), plan)).join("\n");
}

function answerOf(plans: readonly SetupPlan[], done: readonly SetupPlan[], { dryRun, remove }: HostOptions): object {
  return {
    dryRun: dryRun === true,
    remove: remove === true,
    hosts: plans.map(({ host, scope, changes, unchanged, faults, notes }) => ({
      host,
      scope,
      isDone: done.some((each) => each.host === host),
      changes: changes.map(({ file, before, after, parts, description }) => ({
        file,
        action: before === undefined ? "create" : after === undefined ? "remove" : "change",
        parts: [...new Set(parts)],
        description,
      })),
      unchanged,
      faults,
      notes,
    })),
  };
}

function summaryOf(done: readonly SetupPlan[]): string {
  const files = done.reduce((sum, { changes }) => sum + changes.length, 0);
  return files === 0 ? "Nothing was changed." : `Files changed: ${files}. Restart the agents.`;
}

function nothingFound(): WorkrailError {
  return new WorkrailError("INVALID_INPUT", "No supported agent was found on this machine.", {
    hint: `Name one of ${SETUP_HOSTS.join(", ")}.`,
  });
}

function noTerminal(): WorkrailError {
  return new WorkrailError("INVALID_INPUT", "This changes settings of other programs, and there is no terminal to ask for confirmation.", {
    hint: "Add --yes, or see the changes with --dry-run.",
  });
}
