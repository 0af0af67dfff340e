// What a program needs to know of settings to offer them, without anything else of the library.
export { closest } from "./closest.ts";
export { canBeIn, describeType, namesOf, optionOf, SETTING_NAMES, SETTINGS, variableOf } from "./setting-table.ts";
export type { Fallback, Setting, SettingName, SettingPlace, SettingType, SettingValues } from "./setting-table.ts";
