// The part of the library that a program needs to offer settings, loadable without the rest.
export { closest } from "./closest.ts";
export { withBareValues } from "./read-options.ts";
export { canBeIn, describeType, BARE_OPTIONS, namesOf, optionOf, SETTING_NAMES, SETTINGS, variableOf } from "./setting-table.ts";
export type { Fallback, Isolation, Setting, SettingName, SettingPlace, SettingType, SettingValues } from "./setting-table.ts";
