import { helpInOwnName } from "@workrail/process";
import { Command } from "commander";
import manifest from "../package.json" with { type: "json" };
import { addAuditCommand } from "./commands/audit.ts";
import { addBackupCommand } from "./commands/backup.ts";
import { addCleanupCommand } from "./commands/cleanup.ts";
import { addCompletionCommand } from "./commands/completion.ts";
import { addCompressCommand } from "./commands/compress.ts";
import { addConfigCommand } from "./commands/config.ts";
import { addDeleteCommand } from "./commands/delete.ts";
import { addDiffCommand } from "./commands/diff.ts";
import { addDoctorCommand } from "./commands/doctor.ts";
import { addEncryptCommand, addRekeyCommand } from "./commands/encrypt.ts";
import { addExportCommand } from "./commands/export.ts";
import { addHandoffCommand } from "./commands/handoff.ts";
import { addHookCommand } from "./commands/hook.ts";
import { addImportCommand } from "./commands/import.ts";
import { addKeepCommand } from "./commands/keep.ts";
import { addListCommand } from "./commands/list.ts";
import { addLoadCommand } from "./commands/load.ts";
import { addLogCommand } from "./commands/log.ts";
import { addMigrateCommand } from "./commands/migrate.ts";
import { addPinCommand, addUnpinCommand } from "./commands/pin.ts";
import { addPrioritizeCommand } from "./commands/prioritize.ts";
import { addRebuildCommand } from "./commands/rebuild.ts";
import { addRepairCommand } from "./commands/repair.ts";
import { addCopyCommand } from "./commands/copy.ts";
import { addSyncCommand } from "./commands/sync.ts";
import { addRestoreCommand } from "./commands/restore.ts";
import { addResumeCommand } from "./commands/resume.ts";
import { addSaveCommand } from "./commands/save.ts";
import { addScanCommand } from "./commands/scan.ts";
import { addSearchCommand } from "./commands/search.ts";
import { addSessionsCommand } from "./commands/sessions.ts";
import { addSetupCommand } from "./commands/setup.ts";
import { addShowCommand } from "./commands/show.ts";
import { addStatsCommand } from "./commands/stats.ts";
import { addStatusCommand } from "./commands/status.ts";
import { addStatuslineCommand } from "./commands/statusline.ts";
import { addTagCommand } from "./commands/tag.ts";
import { addTrashCommand } from "./commands/trash.ts";
import { addUiCommand } from "./commands/ui.ts";
import { addUpkeepCommand } from "./commands/upkeep.ts";
import { addVerifyCommand } from "./commands/verify.ts";
import { parsePath } from "./parse-option.ts";
import { settingOptions } from "./setting-options.ts";

const EXAMPLES = `
Examples:
  workrail save context.json --session my-task
  workrail load --session my-task
  workrail list --read-only

Every command has examples of its own: workrail save --help
Most settings are options, too, such as --max-depth 5: workrail config list
`;

/** Commands, in the order of the help. */
const COMMANDS: Readonly<Record<string, (program: Command) => void>> = {
  save: addSaveCommand,
  load: addLoadCommand,
  show: addShowCommand,
  list: addListCommand,
  search: addSearchCommand,
  resume: addResumeCommand,
  handoff: addHandoffCommand,
  sessions: addSessionsCommand,
  log: addLogCommand,
  diff: addDiffCommand,
  ui: addUiCommand,
  stats: addStatsCommand,
  tag: addTagCommand,
  pin: addPinCommand,
  unpin: addUnpinCommand,
  keep: addKeepCommand,
  compress: addCompressCommand,
  prioritize: addPrioritizeCommand,
  export: addExportCommand,
  import: addImportCommand,
  delete: addDeleteCommand,
  cleanup: addCleanupCommand,
  trash: addTrashCommand,
  backup: addBackupCommand,
  restore: addRestoreCommand,
  copy: addCopyCommand,
  sync: addSyncCommand,
  migrate: addMigrateCommand,
  upkeep: addUpkeepCommand,
  status: addStatusCommand,
  verify: addVerifyCommand,
  audit: addAuditCommand,
  repair: addRepairCommand,
  rebuild: addRebuildCommand,
  scan: addScanCommand,
  encrypt: addEncryptCommand,
  rekey: addRekeyCommand,
  setup: addSetupCommand,
  hook: addHookCommand,
  statusline: addStatuslineCommand,
  doctor: addDoctorCommand,
  config: addConfigCommand,
  completion: addCompletionCommand,
};

/**
 * Builds the commands and their options. Errors of a command line are thrown as `CommanderError`.
 *
 * @param name name by which the program was called.
 * @param called the command line, if known: other commands then need not be described.
 */
export function buildProgram(name = "workrail", called?: readonly string[]): Command {
  const program = new Command(name)
    .description("Saves the working state of AI agents as checkpoints, and restores it exactly.")
    .option("--data-dir <path>", "directory of the store; default: WORKRAIL_DATA_DIR, else the platform's data folder", parsePath)
    .option("--json", "print JSON, and errors as JSON")
    .version(manifest.version, "--version", "print the version")
    .helpOption("-h, --help", "print help")
    .helpCommand("help [command...]", "print help for a command")
    .configureHelp({ showGlobalOptions: true })
    // Suppressed, because the caller reports errors in its own form.
    .configureOutput({ outputError: ignore, writeErr: ignore, writeOut: (text) => void process.stdout.write(helpInOwnName(text)) })
    .exitOverride()
    .addHelpText("after", EXAMPLES);
  for (const option of settingOptions(called)) program.addOption(option);
  // The first word cannot be an option's value.
  const only = called?.[0];
  const meant = only === undefined || !Object.hasOwn(COMMANDS, only) ? Object.keys(COMMANDS) : [only];
  for (const each of meant) COMMANDS[each]?.(program);
  return program;
}

function ignore(): void {}
