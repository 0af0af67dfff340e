import path from "node:path";
import { isAllowed, readText } from "./allowed-value.ts";
import { CONFIG_FILE, type ConfigText, readConfigFile } from "./config-file.ts";
import {
  type ConfigurationIssue,
  faultyFile,
  type FoundSetting,
  type KnownNames,
  setTwice,
  unknownOption,
  unknownSetting,
  unknownVariable,
  wrongValue,
} from "./configuration-issue.ts";
import { defaultDataDir, type Environment } from "./default-data-dir.ts";
import { type GivenOptions, readOptions } from "./read-options.ts";
import { resolvePath } from "./resolve-path.ts";
import {
  canBeIn,
  FLAG_OPTIONS,
  namesOf,
  optionOf,
  SETTING_NAMES,
  type SettingName,
  type SettingPlace,
  SETTINGS,
  type SettingValues,
  variableOf,
} from "./setting-table.ts";

/** Where settings come from. The command line goes before the environment, and both before `config.json` in the data directory. */
export interface ConfigurationSources {
  readonly env: Environment;
  /** Options of a command line, such as `--max-depth=5`. Default: none. */
  readonly args?: readonly string[] | undefined;
  /** Goes before whatever is set. */
  readonly dataDir?: string | undefined;
}

/** A setting, and where it comes from. */
export interface ConfiguredSetting {
  readonly name: SettingName;
  /** `undefined` when nobody sets it and it has no default. */
  readonly value: SettingValues[SettingName] | undefined;
  readonly origin: SettingPlace | "default";
  /** Where exactly: a file and line, a variable or an option. */
  readonly source?: string;
}

/** All settings as they hold, and what is wrong with them. */
export interface Configuration {
  readonly dataDir: string;
  /** Absolute path of `config.json`, whether it is there or not. */
  readonly file: string;
  readonly hasFile: boolean;
  readonly settings: readonly ConfiguredSetting[];
  /** The same by their names. Of what is wrong the next best is here. */
  readonly values: SettingValues;
  readonly issues: readonly ConfigurationIssue[];
}

/** Reads all settings. Never fails: what is wrong is told, and what is right holds. */
export function readConfiguration({ env, args = [], dataDir: given }: ConfigurationSources): Configuration {
  const collected = new Collected();
  collected.addOptions(readOptions(args, FLAG_OPTIONS));
  collected.addEnvironment(env);
  const set = collected.found("dataDir");
  const dataDir = resolvePath(notEmpty(given) ?? (set?.value as string | undefined) ?? defaultDataDir(env, process.platform));
  const file = path.join(dataDir, CONFIG_FILE);
  const config = readConfigFile(file);
  collected.addFile(file, config);
  const settings = SETTING_NAMES.map((name) => (name === "dataDir" ? withDataDir(dataDir, set) : withValue(name, collected.found(name))));
  const values = Object.fromEntries(settings.filter(({ value }) => value !== undefined).map(({ name, value }) => [name, value]));
  // Each has passed its schema, or is the default.
  return {
    dataDir,
    file,
    hasFile: config.text !== undefined,
    settings,
    values: values as unknown as SettingValues,
    issues: collected.issues,
  };
}

/** Gathers settings, from the place that counts most to the one that counts least. */
class Collected {
  readonly issues: ConfigurationIssue[] = [];
  readonly #found = new Map<SettingName, FoundSetting>();

  addOptions({ values, strays }: GivenOptions): void {
    const known = namesIn("command line", optionOf);
    const unknown = [...values.keys()].filter((option) => !known.has(option));
    for (const option of [...strays, ...unknown]) this.issues.push(unknownOption(option, known));
    for (const [field, name] of known) this.#addText(name, "command line", field, values.get(field));
  }

  addEnvironment(env: Environment): void {
    const known = namesIn("environment", variableOf);
    for (const [field, name] of known) this.#addText(name, "environment", field, notEmpty(env[field]));
    for (const name of SETTING_NAMES) {
      const { foreignVariable } = SETTINGS[name];
      if (foreignVariable !== undefined) this.#addText(name, "environment", foreignVariable, notEmpty(env[foreignVariable]));
    }
    const others = Object.keys(env).filter((field) => field.startsWith("WORKRAIL_") && !known.has(field) && env[field] !== "");
    this.issues.push(...others.map((field) => unknownVariable(field, known)).filter((issue) => issue !== undefined));
  }

  addFile(file: string, { members, fault }: ConfigText): void {
    if (fault !== undefined) this.issues.push(faultyFile(file, fault));
    const known = namesIn("file", (name) => name);
    for (const { name: field, value, place } of members) {
      const name = known.get(field);
      const where = { file, ...place };
      if (name !== undefined) this.#add(name, { value, place: "file", field, where });
      else if (field !== "$schema") this.issues.push(unknownSetting(field, where));
    }
  }

  /** What counts most of what was added so far. */
  found(name: SettingName): FoundSetting | undefined {
    return this.#found.get(name);
  }

  #addText(name: SettingName, place: SettingPlace, field: string, text: string | undefined): void {
    if (text !== undefined) this.#add(name, { value: readText(SETTINGS[name].type, text), place, field });
  }

  #add(name: SettingName, found: FoundSetting): void {
    const before = this.#found.get(name);
    if (!isAllowed(name, found.value)) this.issues.push(wrongValue(name, found));
    else if (before === undefined) this.#found.set(name, found);
    else if (before.place === "file") this.issues.push(setTwice(found));
  }
}

/** Every setting that a place may have, by each of its names there. */
function namesIn(place: SettingPlace, written: (name: string) => string): KnownNames {
  const names = SETTING_NAMES.filter((name) => canBeIn(name, place));
  return new Map(names.flatMap((name) => namesOf(name).map((each) => [written(each), name] as const)));
}

function withValue(name: SettingName, found: FoundSetting | undefined): ConfiguredSetting {
  if (found === undefined) return { name, value: SETTINGS[name].default, origin: "default" };
  // The file is read by whoever uses the store, wherever they are.
  const from = found.where === undefined ? "" : path.dirname(found.where.file);
  const value = SETTINGS[name].type.kind === "path" ? resolvePath(String(found.value), from) : found.value;
  return { name, value: value as SettingValues[SettingName], origin: found.place, source: sourceOf(found) };
}

/** A program's own directory is nobody's setting. */
function withDataDir(dataDir: string, found: FoundSetting | undefined): ConfiguredSetting {
  const setting = withValue("dataDir", found);
  return setting.value === dataDir ? setting : { name: "dataDir", value: dataDir, origin: "default" };
}

function sourceOf({ field, where }: FoundSetting): string {
  return where === undefined ? field : `${where.file}:${where.line}`;
}

function notEmpty(text: string | undefined): string | undefined {
  return text === "" ? undefined : text;
}
