import { AUDIT_ACTIONS, type AuditFinding } from "@workrail/core";
import { escapeText } from "@workrail/process";
import type { AuditLogEntry, AuditLogFilter, VerifyAuditLogResult } from "@workrail/runtime";
import { type Command, Option } from "commander";
import { EXIT_CODES } from "../exit-codes.ts";
import { formatBytes } from "../format-bytes.ts";
import { collect, parsePath, parseWhole } from "../parse-option.ts";
import { note, outputWidth, writeData, writeJson } from "../print.ts";
import { printTable } from "../print-table.ts";
import type { Column } from "../render-table.ts";
import { idShortener } from "../shorten-ids.ts";
import { showingProgress } from "../show-progress.ts";
import { INTERRUPTED, untilInterrupted } from "../until-interrupted.ts";
import { type GlobalOptions, lookIntoStore } from "../with-store.ts";

interface FilterOptions extends GlobalOptions {
  readonly session?: string;
  readonly action?: readonly string[];
  readonly since?: string;
  readonly until?: string;
  readonly limit?: number;
}

interface ListOptions extends FilterOptions {
  readonly before?: number;
}

interface VerifyOptions extends GlobalOptions {
  readonly expect?: string;
}

const STDOUT = "-";

const EXAMPLES = `
Examples:
  workrail audit --limit 50
  workrail audit --session my-task --action delete
  workrail audit verify
  workrail audit export audit.jsonl --since 2026-01-01
`;

/** `workrail audit`: lists, checks and exports the audit log. */
export function addAuditCommand(program: Command): void {
  const audit = program
    .command("audit")
    .summary("list, check or export the audit log")
    .description("The audit log records who did what and when, but no context values. The default subcommand is list.")
    .addHelpText("after", EXAMPLES);
  filtered(audit.command("list", { isDefault: true }))
    .summary("list the audit log, newest first")
    .description("Lists the audit log, newest first. All filters must match.")
    .option("--limit <count>", "at most this many; default: 20", parseWhole)
    .option("--before <number>", "only rows before the row with this number", parseWhole)
    .addHelpText("after", "\nExample:\n  workrail audit list --action export --since 2026-01-31\n")
    .action(async (_options: ListOptions, command: Command) => list(command.optsWithGlobals()));
  audit
    .command("verify")
    .summary("check that no row was changed or removed")
    .description(
      "Reads the whole log, reports changed and missing rows, and prints the log's end for a later check. Changes nothing; the store may be in use.",
    )
    .option("--expect <end>", "end that an earlier check printed; its row must still exist")
    .addHelpText("after", "\nExample:\n  workrail audit verify\n")
    .action(async (_options: VerifyOptions, command: Command) => verify(command.optsWithGlobals()));
  filtered(audit.command("export"))
    .summary("write the log as lines of JSON")
    .description("Writes the log, oldest first, as lines of JSON, one for each row. All filters must match.")
    .argument("[file]", "new file; default or -: standard output", parsePath)
    .option("--limit <count>", "at most this many, oldest first", parseWhole)
    .addHelpText("after", "\nExample:\n  workrail audit export audit.jsonl\n")
    .action(async (file: string | undefined, _options: FilterOptions, command: Command) => exportTo(file, command.optsWithGlobals()));
}

function filtered(command: Command): Command {
  return command
    .option("--session <id>", "only rows of this session")
    .addOption(new Option("--action <name>", "only this action; may be repeated").choices(AUDIT_ACTIONS).argParser(collect))
    .option("--since <time>", "only from this time on (ISO 8601)")
    .option("--until <time>", "only up to this time, or to the end of this day (ISO 8601)");
}

function filterOf({ session, action, since, until, limit }: FilterOptions): AuditLogFilter {
  return { sessionId: session, actions: action, since, until, limit };
}

async function list(options: ListOptions): Promise<void> {
  const result = await lookIntoStore(options, (store) => store.auditLog({ ...filterOf(options), before: options.before }));
  if (options.json) return writeJson(result);
  if (result.entries.length === 0) return note("The audit log has no matching rows.");
  await printTable(columns(result.entries), result.entries);
  if (result.next !== undefined) note(`--before ${result.next} shows older rows.`);
}

function columns(entries: readonly AuditLogEntry[]): readonly Column<AuditLogEntry>[] {
  const shorten = idShortener(
    entries.flatMap(({ checkpointId = [] }) => checkpointId),
    outputWidth(),
  );
  return [
    { title: "ROW", align: "right", cell: ({ number }) => String(number) },
    { title: "TIME", cell: ({ at }) => at },
    { title: "ACTION", cell: ({ action }) => action },
    { title: "CHECKPOINT", cell: ({ checkpointId }) => (checkpointId === undefined ? "" : escapeText(shorten(checkpointId))) },
    { title: "SESSION", leastWidth: 10, cutFirst: true, cell: ({ sessionId }) => escapeText(sessionId ?? "") },
    { title: "REASON", leastWidth: 8, cell: ({ reason }) => escapeText(reason ?? "") },
    { title: "AGENT", leastWidth: 8, cell: ({ agentId }) => escapeText(agentId ?? "") },
    { title: "SUBJECT", leastWidth: 8, cell: ({ subject }) => escapeText(subject ?? "") },
  ];
}

async function verify(options: VerifyOptions): Promise<void> {
  const result = await untilInterrupted((signal) =>
    lookIntoStore(options, (store) =>
      showingProgress("Rows read:", (onProgress) => store.verifyAuditLog({ expected: options.expect, signal, onProgress })),
    ),
  );
  if (!result.isComplete) process.exitCode = INTERRUPTED;
  if (result.findingCount > 0) process.exitCode = EXIT_CODES.CHECKPOINT_CORRUPT;
  await (options.json ? writeJson(result) : writeData(forPeople(result)));
}

function forPeople({ rows, unchained, first, last, head, isKeyed, findings, findingCount, isComplete }: VerifyAuditLogResult): string {
  const span = first === undefined || last === undefined ? "" : `, ${first.number} to ${last.number}, from ${first.at} to ${last.at}`;
  const more = findingCount - findings.length;
  const lines = [
    `Rows read: ${rows}${span}.`,
    ...(unchained === 0 ? [] : [`Rows older than the chain, which cannot be verified: ${unchained}.`]),
    isKeyed
      ? "The chain is keyed: a row cannot be forged without the store's key."
      : "The chain is not keyed: it detects accidents, not attacks.",
    ...findings.map(describeFinding),
    ...(more > 0 ? [`And ${more} more.`] : []),
    ...(findingCount === 0 && isComplete ? ["Nothing is wrong."] : []),
    ...(isComplete ? [] : ["Interrupted: not all rows were read."]),
    ...(head === undefined || !isComplete ? [] : [`End: ${head}`]),
  ];
  return `${lines.join("\n")}\n`;
}

function describeFinding(finding: AuditFinding): string {
  const { number } = finding;
  switch (finding.kind) {
    case "changed":
      return `Row ${number} was changed or moved.`;
    case "missing":
      return finding.through === number ? `Row ${number} is missing.` : `Rows ${number} to ${finding.through} are missing.`;
    case "unchained":
      return `Row ${number} has no digest, although rows before it have one.`;
    case "cut-off":
      return `Row ${number} of --expect is missing: the end was cut off.`;
    case "not-as-noted":
      return `Row ${number} differs from that of --expect.`;
  }
}

/** Streams the log while the store is open: the whole text may not fit in memory. */
async function exportTo(file: string | undefined, options: FilterOptions): Promise<void> {
  if (file === undefined || file === STDOUT) {
    return lookIntoStore(options, async (store) => {
      for await (const piece of store.auditText(filterOf(options))) await writeData(piece);
    });
  }
  const written = await lookIntoStore(options, (store) => store.exportAuditLog(file, filterOf(options)));
  if (options.json) return writeJson(written);
  note(`Exported the audit log to a file of ${formatBytes(written.sizeBytes)}.`);
  await writeData(`${written.file}\n`);
}
