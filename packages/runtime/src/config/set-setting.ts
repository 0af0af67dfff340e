import { readOnly } from "@workrail/core";
import { resolvePath } from "./resolve-path.ts";
import { writeConfigMember } from "./config-file.ts";
import { isAllowed, readText } from "./allowed-value.ts";
import { refusalOf, unknownSetting, wrongValue } from "./configuration-issue.ts";
import { type ConfigurationSources, type ConfiguredSetting, readConfiguration } from "./read-configuration.ts";
import { canBeIn, isSettingName, type SettingName, SETTINGS } from "./setting-table.ts";

export interface ChangedSetting {
  /** The file that was written. */
  readonly file: string;
  readonly name: SettingName;
  /** What is in the file now; `undefined`: nothing. */
  readonly value: unknown;
  /** What holds, which may be set elsewhere. */
  readonly holds: ConfiguredSetting;
}

/**
 * Sets one setting in `config.json`, which is made when it is not there, or takes it out. The rest of the file stays, comments too.
 *
 * @param text as one would give it on a command line; `undefined` takes the setting out.
 * @throws READ_ONLY where the store is only read, but for that setting itself; INVALID_INPUT for a setting that there is not, or that cannot be in the file, for a wrong value, and for a file
 *   that is no JSON.
 */
export function setSetting(sources: ConfigurationSources, name: string, text: string | undefined): ChangedSetting {
  const { name: known, value } = checkSetting(name, text);
  const { file, values } = readConfiguration(sources);
  // Or nobody could take it back.
  if (values.readOnly && known !== "readOnly") throw readOnly();
  writeConfigMember(file, known, value);
  const holds = readConfiguration(sources).settings.filter((setting) => setting.name === known);
  return { file, name: known, value, holds: holds[0] as ConfiguredSetting };
}

/** What would be set. @throws as `setSetting` for a setting or a value that cannot be. */
export function checkSetting(name: string, text: string | undefined): { readonly name: SettingName; readonly value: unknown } {
  const known = settingInFile(name);
  const { type } = SETTINGS[known];
  // A path is meant from where it is given, and would not be from there in the file.
  const value = text === undefined ? undefined : type.kind === "path" && text !== "" ? resolvePath(text) : readText(type, text);
  if (text !== undefined && !isAllowed(known, value)) throw refusalOf([wrongValue(known, { value, place: "file", field: known })]);
  return { name: known, value };
}

/** @throws INVALID_INPUT with the name that was most likely meant. */
export function parseSettingName(name: string): SettingName {
  if (isSettingName(name)) return name;
  throw refusalOf([unknownSetting(name)]);
}

function settingInFile(text: string): SettingName {
  const name = parseSettingName(text);
  if (canBeIn(name, "file")) return name;
  throw refusalOf([unknownSetting(name)]);
}
