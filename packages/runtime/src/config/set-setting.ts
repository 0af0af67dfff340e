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
  /** Value now in the file; `undefined` when the setting was removed. */
  readonly value: unknown;
  /** The setting in effect, which another source may override. */
  readonly holds: ConfiguredSetting;
}

/**
 * Sets one setting in `config.json`, or removes it. Creates the file if needed. The rest of the file stays, including comments.
 *
 * @param text value as written on a command line; `undefined` removes the setting.
 * @throws READ_ONLY for a read-only store, except for the setting `readOnly` itself; INVALID_INPUT for an unknown setting, one that cannot
 * be in the file, a wrong value, or a file that is not valid JSON.
 */
export function setSetting(sources: ConfigurationSources, name: string, text: string | undefined): ChangedSetting {
  const { name: known, value } = checkSetting(name, text);
  const { file, values } = readConfiguration(sources);
  // `readOnly` itself stays writable, so that it can be unset.
  if (values.readOnly && known !== "readOnly") throw readOnly();
  writeConfigMember(file, known, value);
  const holds = readConfiguration(sources).settings.filter((setting) => setting.name === known);
  return { file, name: known, value, holds: holds[0] as ConfiguredSetting };
}

/** Parses a setting and its value without writing. @throws as `setSetting` for a wrong setting or value. */
export function checkSetting(name: string, text: string | undefined): { readonly name: SettingName; readonly value: unknown } {
  const known = settingInFile(name);
  const { type } = SETTINGS[known];
  // A relative path is meant from the working directory, and would change its meaning in the file.
  const value = text === undefined ? undefined : type.kind === "path" && text !== "" ? resolvePath(text) : readText(type, text);
  if (text !== undefined && !isAllowed(known, value)) throw refusalOf([wrongValue(known, { value, place: "file", field: known })]);
  return { name: known, value };
}

/** @throws INVALID_INPUT that suggests the closest name. */
export function parseSettingName(name: string): SettingName {
  if (isSettingName(name)) return name;
  throw refusalOf([unknownSetting(name)]);
}

function settingInFile(text: string): SettingName {
  const name = parseSettingName(text);
  if (canBeIn(name, "file")) return name;
  throw refusalOf([unknownSetting(name)]);
}
