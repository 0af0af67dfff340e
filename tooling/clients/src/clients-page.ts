import { HOSTS_RUN_BY_HAND, RUN_ON } from "./hosts-run-by-hand.ts";
import type { Trial } from "./try-client.ts";

const HEAD = ["Client", "Version", "Over", "Tools", "Saves and loads", "Searches", "An error arrives as"];
const HOSTS_HEAD = ["Host", "Version", "The server is", "Saves and resumes by hooks", "Source"];

/** Writes `docs/reference/clients.md`. */
export function clientsPage(trials: readonly Trial[]): string {
  const rows = trials.map((trial) => [
    trial.client,
    trial.version,
    trial.way,
    String(trial.tools),
    yesOrNo(trial.savesAndLoads),
    yesOrNo(trial.searches),
    trial.error ?? "no",
  ]);
  const hosts = HOSTS_RUN_BY_HAND.map(({ host, version, listed }) => [host, version, listed, "yes", "run by hand"]);
  return `# Clients

Clients that were tried with the MCP server. \`tooling/clients\` writes this page in a test run.

## Libraries and command lines

Each client lists the tools, saves a state, loads it, finds it by a word, and calls with a session that does not exist. The Inspector lists with \`--strict\`.

${table([HEAD, ...rows])}

## Coding agents

The tests of \`tooling/hosts\` start the agents with a scripted model, after \`workrail setup\`. They run by hand, last on ${RUN_ON}: [how](../../tooling/hosts/README.md).

${table([HOSTS_HEAD, ...hosts])}
`;
}

function yesOrNo(is: boolean): string {
  return is ? "yes" : "no";
}

/** Writes a table whose columns are padded, as the formatter writes them. */
function table([head = [], ...rows]: readonly (readonly string[])[]): string {
  const widths = head.map((cell, column) => Math.max(cell.length, 3, ...rows.map((row) => row[column]?.length ?? 0)));
  const line = (row: readonly string[]): string => `| ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(" | ")} |`;
  return [line(head), line(widths.map((width) => "-".repeat(width))), ...rows.map(line)].join("\n");
}
