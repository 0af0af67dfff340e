// What a program needs to know of settings to offer them, without anything else of the library.
export { closest } from "./closest.ts";
export { withFlagValues } from "./read-options.ts";
export { canBeIn, describeType, FLAG_OPTIONS, namesOf, optionOf, SETTING_NAMES, SETTINGS, variableOf } from "./setting-table.ts";
export type { Fallback, Isolation, Setting, SettingName, SettingPlace, SettingType, SettingValues } from "./setting-table.ts";
