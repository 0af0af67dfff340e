import {
  canBeIn,
  closest,
  FLAG_OPTIONS,
  namesOf,
  optionOf,
  SETTING_NAMES,
  type SettingName,
  withFlagValues,
} from "@workrail/runtime/settings";
import { Option } from "commander";

/** The command line never keeps things in its memory, which ends with it, and has no log. */
const NOT_HERE: ReadonlySet<SettingName> = new Set(["fallback", "logLevel"]);

/** The settings that are options of every command, by all their names. `--data-dir` is told of in the help, the others where settings are. */
const NAMES: readonly string[] = SETTING_NAMES.filter((name) => canBeIn(name, "command line") && !NOT_HERE.has(name)).flatMap(namesOf);

/**
 * Options for all settings, which help does not show: there are too many, and a command is seldom about them.
 *
 * @param given a command line, when only what stands in it is needed: each option takes a while to be described.
 */
export function settingOptions(given?: readonly string[]): readonly Option[] {
  return NAMES.filter((name) => name !== "dataDir")
    .map(optionOf)
    .filter((option) => given?.some((arg) => arg.split("=", 1)[0] === option) !== false)
    .map((option) => new Option(`${option} <value>`).hideHelp());
}

/** A command line in which flags that stand alone have the value that they mean, up to `--`. */
export function withSettingFlags(args: readonly string[]): readonly string[] {
  const end = args.indexOf("--");
  const [options, operands] = end === -1 ? [args, []] : [args.slice(0, end), args.slice(end)];
  return [...withFlagValues(options, FLAG_OPTIONS), ...operands];
}

/** Settings as they were given to a command, in the form in which the library reads them. */
export function settingArgs(options: object): readonly string[] {
  const given = options as Readonly<Record<string, unknown>>;
  return NAMES.flatMap((name) => (typeof given[name] === "string" ? [`${optionOf(name)}=${given[name]}`] : []));
}

/** The setting's option that was most likely meant. */
export function closestSettingOption(given: string): string | undefined {
  return closest(given, NAMES.map(optionOf));
}
