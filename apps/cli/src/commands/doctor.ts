import { escapeText, inOwnName } from "@workrail/process";
import { type DoctorFinding, type DoctorReport, examineInstallation } from "@workrail/runtime";
import type { Command } from "commander";
import { examineHosts } from "../examine-hosts.ts";
import { examineServers } from "../examine-servers.ts";
import { EXIT_CODES } from "../exit-codes.ts";
import { styled, writeData, writeJson } from "../print.ts";
import { settingArgs } from "../setting-options.ts";
import type { GlobalOptions } from "../with-store.ts";

interface DoctorOptions extends GlobalOptions {
  readonly fix?: true;
  readonly npx?: true;
}

const EXAMPLES = `
Examples:
  workrail doctor
  workrail doctor --fix --json
`;

const MARKS = { ok: "ok     ", warning: "warning", error: "ERROR  ", skipped: "skipped" } as const;
const STYLES = { ok: "green", warning: "yellow", error: "red", skipped: "dim" } as const;

/** `workrail doctor`: checks everything that Workrail needs, with a hint for each fault. */
export function addDoctorCommand(program: Command): void {
  program
    .command("doctor")
    .summary("check the installation, and suggest fixes")
    .description("Checks the installation, including a save and a load, and suggests a fix for each fault.")
    .option("--fix", "remove excess permissions of stored files")
    .option("--npx", "also start the servers that agents run with npx; npx may download them")
    .addHelpText("after", EXAMPLES)
    .action(async (_options: DoctorOptions, command: Command) => doctor(command.optsWithGlobals()));
}

async function doctor(options: DoctorOptions): Promise<void> {
  const installation = await examineInstallation({ args: settingArgs(options), fix: options.fix });
  const findings = [...installation.findings, ...(await examineAgents(installation, options.npx === true))];
  const report = { ...installation, findings };
  const worst = report.findings.find(({ status }) => status === "error");
  if (worst !== undefined) process.exitCode = EXIT_CODES[worst.code ?? "INTERNAL"];
  await (options.json ? writeJson(report) : writeData(forPeople(report)));
}

/** Checks installed hosts and servers. */
async function examineAgents(installation: DoctorReport, withNpx: boolean): Promise<readonly DoctorFinding[]> {
  const { currentSurroundings, inspectHosts } = await import("../library/hosting.ts");
  const surroundings = currentSurroundings();
  const hosts = inspectHosts(surroundings).filter(({ isThere }) => isThere);
  // A server started for the check must not change the store.
  const env = { ...process.env, WORKRAIL_READ_ONLY: "true" };
  return [...examineHosts(hosts, installation.findings), ...(await examineServers(hosts, { env, cwd: surroundings.home, withNpx }))];
}

function forPeople({ findings, isHealthy }: DoctorReport): string {
  const width = Math.max(...findings.map(({ check }) => check.length));
  const lines = findings.flatMap((finding) => describe(finding, width));
  return `${[...lines, "", isHealthy ? "Workrail can work here." : "Workrail cannot work here until the errors are corrected."].join("\n")}\n`;
}

function describe({ check, status, message, hint }: DoctorFinding, width: number): readonly string[] {
  const mark = styled(STYLES[status], MARKS[status], process.stdout);
  const indent = " ".repeat(MARKS.ok.length + width + 4);
  return [
    `${mark}  ${check.padEnd(width)}  ${escapeText(inOwnName(message))}`,
    ...(hint === undefined ? [] : [`${indent}${escapeText(inOwnName(hint))}`]),
  ];
}
