import {
  canBeIn,
  closest,
  BARE_OPTIONS,
  namesOf,
  optionOf,
  SETTING_NAMES,
  type SettingName,
  withBareValues,
} from "@workrail/runtime/settings";
import { Option } from "commander";

/** Settings without effect here: the command line has no memory fallback and no log, and serves nothing over HTTP. */
const NOT_HERE: ReadonlySet<SettingName> = new Set([
  "fallback",
  "logLevel",
  ...SETTING_NAMES.filter((name) => /^(?:http|tool)/u.test(name)),
]);

/** Settings that are options of every command, by all their names. The help lists `--data-dir`; `config list` lists the others. */
const NAMES: readonly string[] = SETTING_NAMES.filter((name) => canBeIn(name, "command line") && !NOT_HERE.has(name)).flatMap(namesOf);

/**
 * Returns options for all settings, hidden in the help: there are many, and few commands concern them.
 *
 * @param given a command line, when only its options are needed: creating each option takes time.
 */
export function settingOptions(given?: readonly string[]): readonly Option[] {
  return NAMES.filter((name) => name !== "dataDir")
    .map(optionOf)
    .filter((option) => given?.some((arg) => arg.split("=", 1)[0] === option) !== false)
    .map((option) => new Option(`${option} <value>`).hideHelp());
}

/** Adds the implied value to flags without one, up to `--`. */
export function withSettingFlags(args: readonly string[]): readonly string[] {
  const end = args.indexOf("--");
  const [options, operands] = end === -1 ? [args, []] : [args.slice(0, end), args.slice(end)];
  return [...withBareValues(options, BARE_OPTIONS), ...operands];
}

/** Returns the settings given to a command, in the form that the library reads. */
export function settingArgs(options: object): readonly string[] {
  const given = options as Readonly<Record<string, unknown>>;
  return NAMES.flatMap((name) => (typeof given[name] === "string" ? [`${optionOf(name)}=${given[name]}`] : []));
}

/** Returns the option of the setting most likely intended. */
export function closestSettingOption(given: string): string | undefined {
  return closest(given, NAMES.map(optionOf));
}
