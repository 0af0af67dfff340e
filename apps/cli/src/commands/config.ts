import { escapeText } from "@workrail/process";
import { type ChangedSetting, changeSetting, type Configuration, type ConfiguredSetting } from "@workrail/runtime";
import { SETTINGS } from "@workrail/runtime/settings";
import type { Command } from "commander";
import { EXIT_CODES } from "../exit-codes.ts";
import { note, outputWidth, printWarning, styled, writeData, writeJson } from "../print.ts";
import { noteLeftOut } from "../print-table.ts";
import { type Column, renderTable } from "../render-table.ts";
import { settingGroups } from "../setting-groups.ts";
import { settingArgs } from "../setting-options.ts";
import type { GlobalOptions } from "../with-store.ts";

interface ListOptions extends GlobalOptions {
  readonly origin?: true;
}

const EXAMPLES = `
Examples:
  workrail config list --origin
  workrail config set retentionDays 90
  workrail config get retentionDays
`;

const HIDDEN = "(not shown)";

/** `workrail config`: shows settings and their origin, and changes them. */
export function addConfigCommand(program: Command): void {
  const config = program
    .command("config")
    .summary("show and change settings, with their sources")
    .description(
      "Settings come from config.json in the data directory, the environment and options; a later source overrides an earlier one. The default subcommand is list.",
    )
    .addHelpText("after", EXAMPLES);
  config
    .command("list", { isDefault: true })
    .summary("list all settings with their values in use")
    .description("Lists all settings with their values in use. Reports faults; the exit code is then 2.")
    .option("--origin", "also show the source of each")
    .addHelpText("after", "\nExample:\n  workrail config list --origin\n")
    .action(async (_options: ListOptions, command: Command) => list(command.optsWithGlobals()));
  config
    .command("get")
    .summary("print a setting")
    .description("Prints the value of a setting in use. Prints nothing if it has neither a value nor a default.")
    .argument("<setting>", "name of the setting, as in config.json")
    .addHelpText("after", "\nExample:\n  workrail config get maxCheckpoints\n")
    .action(async (name: string, _options: GlobalOptions, command: Command) => get(name, command.optsWithGlobals()));
  config
    .command("set")
    .summary("set a setting in config.json")
    .description("Sets a setting in config.json, and keeps the rest, including comments. A missing file is created.")
    .argument("<setting>", "name of the setting, as in config.json")
    .argument("<value>", "the new value")
    .addHelpText("after", "\nExample:\n  workrail config set maxCheckpoints 50\n")
    .action(async function (name: string, value: string) {
      return change(name, value, this.optsWithGlobals());
    });
  config
    .command("unset")
    .summary("remove a setting from config.json")
    .description("Removes a setting from config.json, and keeps the rest.")
    .argument("<setting>", "name of the setting, as in config.json")
    .addHelpText("after", "\nExample:\n  workrail config unset maxCheckpoints\n")
    .action(async (name: string, _options: GlobalOptions, command: Command) => change(name, undefined, command.optsWithGlobals()));
  config
    .command("path")
    .summary("print the path of config.json")
    .description("Prints the path of config.json in the data directory. The file may be missing.")
    .addHelpText("after", "\nExample:\n  workrail config path\n")
    .action(async (_options: GlobalOptions, command: Command) => path(command.optsWithGlobals()));
  config
    .command("schema")
    .summary("print the JSON Schema of config.json")
    .description("Prints the JSON Schema of config.json, for completion and checks in editors.")
    .addHelpText("after", "\nExample:\n  workrail config schema > config.schema.json\n")
    .action(async () => schema());
}

async function list(options: ListOptions): Promise<void> {
  const { file, hasFile, settings, issues } = await read(options);
  const shown = settings.map(withoutSecret);
  if (options.json) return writeJson({ file, hasFile, settings: shown, issues });
  await printGroups(shown, options.origin === true);
}

/** Prints one table with a heading above each group of settings. */
async function printGroups(settings: readonly ConfiguredSetting[], withOrigin: boolean): Promise<void> {
  const groups = settingGroups();
  const rows = groups.flatMap(({ names }) => names.flatMap((name) => settings.find((each) => each.name === name) ?? []));
  const { header, blocks, leftOut } = renderTable(columns(withOrigin), rows, outputWidth());
  const headings = new Map(groups.map(({ title, names: [first] }) => [first, title]));
  const lines = rows.flatMap(({ name }, index) => {
    const title = headings.get(name);
    return [...(title === undefined ? [] : ["", styled("bold", title, process.stdout)]), ...(blocks[index] ?? [])];
  });
  await writeData(`${[styled("bold", header, process.stdout), ...lines].join("\n")}\n`);
  noteLeftOut(leftOut);
}

async function get(text: string, options: GlobalOptions): Promise<void> {
  const { parseSettingName } = await import("../library/configuring.ts");
  const name = parseSettingName(text);
  const { settings } = await read(options);
  const setting = settings.find((each) => each.name === name);
  if (options.json) return writeJson({ ...setting, value: setting?.value ?? null });
  if (setting?.value !== undefined) await writeData(`${escapeText(String(setting.value))}\n`);
}

async function change(name: string, text: string | undefined, options: GlobalOptions): Promise<void> {
  const { isLogged, notLogged, ...changed } = await changeSetting(sourcesOf(options), name, text);
  if (notLogged !== undefined) {
    const { code, message, hint } = notLogged;
    printWarning("the audit log has no row for this change", { code, message, hint }, options.json === true);
  }
  if (options.json) return writeJson({ ...changed, value: changed.value ?? null, isLogged });
  note(describe(changed));
}

async function path(options: GlobalOptions): Promise<void> {
  const { file, hasFile } = await read(options, { quietly: true });
  await (options.json ? writeJson({ file, hasFile }) : writeData(`${escapeText(file)}\n`));
}

async function schema(): Promise<void> {
  const { configJsonSchema } = await import("../library/configuring.ts");
  await writeData(`${JSON.stringify(await configJsonSchema(), undefined, 2)}\n`);
}

/** Reads the settings, and reports their issues on standard error. */
async function read(options: GlobalOptions, { quietly = false } = {}): Promise<Configuration> {
  const { readConfiguration } = await import("../library/configuring.ts");
  const configuration = readConfiguration(sourcesOf(options));
  if (quietly) return configuration;
  for (const { message, hint } of configuration.issues) printWarning(message, { hint }, options.json === true);
  if (configuration.issues.some(({ severity }) => severity === "error")) process.exitCode = EXIT_CODES.INVALID_INPUT;
  return configuration;
}

function sourcesOf(options: GlobalOptions): { readonly env: NodeJS.ProcessEnv; readonly args: readonly string[] } {
  return { env: process.env, args: settingArgs(options) };
}

function withoutSecret(setting: ConfiguredSetting): ConfiguredSetting {
  return SETTINGS[setting.name].secret === true && setting.value !== undefined ? { ...setting, value: HIDDEN } : setting;
}

function columns(withOrigin: boolean): readonly Column<ConfiguredSetting>[] {
  const origin: Column<ConfiguredSetting> = {
    title: "ORIGIN",
    leastWidth: 12,
    keepsEnd: true,
    cell: ({ origin, source }) => escapeText(source ?? origin),
  };
  return [
    { title: "SETTING", stays: true, cell: ({ name }) => name },
    {
      title: "VALUE",
      leastWidth: 16,
      cutFirst: true,
      stays: true,
      cell: ({ name, value }) => escapeText(String(value ?? SETTINGS[name].otherwise ?? "")),
    },
    ...(withOrigin ? [origin] : []),
    { title: "MEANING", leastWidth: 16, cutFirst: true, cell: ({ name }) => SETTINGS[name].meaning },
  ];
}

function describe({ file, name, value, holds }: ChangedSetting): string {
  const done = value === undefined ? `${name} is no longer set in ${file}` : `${name} is set in ${file}`;
  const isElsewhere = holds.origin !== "file" && holds.origin !== "default";
  return isElsewhere ? `${done}, but ${holds.source ?? holds.origin} overrides it.` : `${done}.`;
}
