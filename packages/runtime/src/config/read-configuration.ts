import path from "node:path";
import { isAllowed, readText } from "./allowed-value.ts";
import { CONFIG_FILE, type ConfigText, readConfigFile } from "./config-file.ts";
import {
  type ConfigurationIssue,
  faultyFile,
  type FoundSetting,
  type KnownNames,
  duplicateSetting,
  unknownOption,
  unknownProgramSetting,
  unknownSetting,
  unknownVariable,
  wrongValue,
} from "./configuration-issue.ts";
import { defaultDataDir, type Environment } from "./default-data-dir.ts";
import { type GivenOptions, readOptions } from "./read-options.ts";
import { resolvePath } from "./resolve-path.ts";
import {
  BARE_OPTIONS,
  canBeIn,
  isSettingName,
  namesOf,
  optionOf,
  type ProgramSettings,
  SETTING_NAMES,
  type SettingName,
  type SettingPlace,
  SETTINGS,
  type SettingValues,
  variableOf,
} from "./setting-table.ts";

/** Sources of settings. The program overrides the command line, which overrides the environment, which overrides `config.json`. */
export interface ConfigurationSources {
  readonly env: Environment;
  /** Options of a command line, such as `--max-depth=5`. Default: none. */
  readonly args?: readonly string[] | undefined;
  /** Settings by name, as in `config.json`. Default: none. */
  readonly settings?: ProgramSettings | undefined;
  /** Overrides every other source of the data directory. */
  readonly dataDir?: string | undefined;
}

/** A setting and its origin. */
export interface ConfiguredSetting {
  readonly name: SettingName;
  /** `undefined` when it is not set and has no default. */
  readonly value: SettingValues[SettingName] | undefined;
  readonly origin: SettingPlace | "default";
  /** The exact origin: a file and line, a variable or an option. */
  readonly source?: string;
}

/** All settings in effect, and their issues. */
export interface Configuration {
  readonly dataDir: string;
  /** Absolute path of `config.json`, which need not exist. */
  readonly file: string;
  readonly hasFile: boolean;
  readonly settings: readonly ConfiguredSetting[];
  /** Settings by name; invalid values fall back to the next source or the default. */
  readonly values: SettingValues;
  readonly issues: readonly ConfigurationIssue[];
}

/** Reads all settings. Never fails: faults are reported as issues, and valid settings apply. */
export function readConfiguration({ env, args = [], settings: own = {}, dataDir: given }: ConfigurationSources): Configuration {
  const collected = new Collected();
  collected.addProgram(own);
  collected.addOptions(readOptions(args, BARE_OPTIONS));
  collected.addEnvironment(env);
  const set = collected.found("dataDir");
  const dataDir = resolvePath(notEmpty(given) ?? (set?.value as string | undefined) ?? defaultDataDir(env, process.platform));
  const file = path.join(dataDir, CONFIG_FILE);
  const config = readConfigFile(file);
  collected.addFile(file, config);
  const settings = SETTING_NAMES.map((name) => (name === "dataDir" ? withDataDir(dataDir, set) : withValue(name, collected.found(name))));
  const values = Object.fromEntries(settings.filter(({ value }) => value !== undefined).map(({ name, value }) => [name, value]));
  // Each value has passed its schema, or is the default.
  return {
    dataDir,
    file,
    hasFile: config.text !== undefined,
    settings,
    values: values as unknown as SettingValues,
    issues: collected.issues,
  };
}

/** Gathers settings, from the source with the highest precedence to the lowest. */
class Collected {
  readonly issues: ConfigurationIssue[] = [];
  readonly #found = new Map<SettingName, FoundSetting>();

  addProgram(given: ProgramSettings): void {
    for (const [field, value] of Object.entries(given)) {
      if (value === undefined) continue;
      if (isSettingName(field) && canBeIn(field, "program")) this.#add(field, { value, place: "program", field: `settings.${field}` });
      else this.issues.push(unknownProgramSetting(field));
    }
  }

  addOptions({ values, strays }: GivenOptions): void {
    const known = namesIn("command line", optionOf);
    const unknown = [...values.keys()].filter((option) => !known.has(option));
    for (const option of [...strays, ...unknown]) this.issues.push(unknownOption(option, known));
    for (const [field, name] of known) this.#addText(name, values.get(field), { place: "command line", field });
  }

  addEnvironment(env: Environment): void {
    const known = namesIn("environment", variableOf);
    for (const [field, name] of known) this.#addText(name, notEmpty(env[field]), { place: "environment", field });
    for (const name of SETTING_NAMES) {
      const { foreignVariable } = SETTINGS[name];
      if (foreignVariable !== undefined) {
        this.#addText(name, notEmpty(env[foreignVariable]), { place: "environment", field: foreignVariable });
      }
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

  /** Returns the value with the highest precedence added so far. */
  found(name: SettingName): FoundSetting | undefined {
    return this.#found.get(name);
  }

  #addText(name: SettingName, text: string | undefined, from: Pick<FoundSetting, "place" | "field">): void {
    if (text !== undefined) this.#add(name, { value: readText(SETTINGS[name].type, text), ...from });
  }

  #add(name: SettingName, found: FoundSetting): void {
    const before = this.#found.get(name);
    if (!isAllowed(name, found.value)) this.issues.push(wrongValue(name, found));
    else if (before === undefined) this.#found.set(name, found);
    else if (before.place === "file") this.issues.push(duplicateSetting(found));
  }
}

/** Maps each name of each setting allowed in a place to the setting. */
function namesIn(place: SettingPlace, written: (name: string) => string): KnownNames {
  const names = SETTING_NAMES.filter((name) => canBeIn(name, place));
  return new Map(names.flatMap((name) => namesOf(name).map((each) => [written(each), name] as const)));
}

function withValue(name: SettingName, found: FoundSetting | undefined): ConfiguredSetting {
  if (found === undefined) return { name, value: SETTINGS[name].default, origin: "default" };
  // A path in the file is relative to the file, because programs in any working directory read it.
  const from = found.where === undefined ? "" : path.dirname(found.where.file);
  const value = SETTINGS[name].type.kind === "path" ? resolvePath(String(found.value), from) : found.value;
  return { name, value: value as SettingValues[SettingName], origin: found.place, source: sourceOf(found) };
}

/** A data directory that the program itself gives counts as a default, not as a setting. */
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
