import { WorkrailError } from "@workrail/core";
import { closest } from "./closest.ts";
import { describePlace, type TextPlace } from "./config-file.ts";
import {
  canBeIn,
  describeType,
  namesOf,
  optionOf,
  SETTING_NAMES,
  type SettingName,
  type SettingPlace,
  SETTINGS,
  variableOf,
} from "./setting-table.ts";

/** A fault in a setting. */
export interface ConfigurationIssue {
  /** `warning`: the setting is ignored. `error`: these settings must not be used. */
  readonly severity: "error" | "warning";
  readonly message: string;
  readonly hint: string;
  /** The setting's name where it was set: `maxDepth`, `WORKRAIL_MAX_DEPTH` or `--max-depth`. */
  readonly field?: string;
  /** The file and the place in it, when the issue is in a file. */
  readonly file?: string;
  readonly line?: number;
  readonly column?: number;
}

/** A setting as found in one of the places. */
export interface FoundSetting {
  readonly value: unknown;
  readonly place: SettingPlace;
  /** Its name in that place. */
  readonly field: string;
  readonly where?: PlaceInFile;
}

export type PlaceInFile = TextPlace & { readonly file: string };

/** Maps the names used in one place to the settings they mean. */
export type KnownNames = ReadonlyMap<string, SettingName>;

const MOST_QUOTED = 80;

const PUT_AWAY: Readonly<Record<SettingPlace, string>> = {
  file: "remove",
  environment: "unset",
  "command line": "leave out",
  program: "leave out",
};

/** Builds the error for settings that cannot be used: message and hint of the first issue, all issues in the details. */
export function refusalOf([first, ...others]: readonly [ConfigurationIssue, ...ConfigurationIssue[]]): WorkrailError {
  const { message, hint, severity: _, ...place } = first;
  const issues = [first, ...others].map(({ severity: _severity, ...issue }) => issue);
  return new WorkrailError("INVALID_INPUT", message, { details: { ...place, ...(others.length > 0 ? { issues } : {}) }, hint });
}

export function wrongValue(name: SettingName, { value, place, field, where }: FoundSetting): ConfigurationIssue {
  const { type, secret, lenient } = SETTINGS[name];
  const isQuotable = secret !== true && type.kind !== "address" && (typeof value !== "object" || value === null);
  const quoted = isQuotable ? `, not ${JSON.stringify(value).slice(0, MOST_QUOTED)}` : "";
  const message = `${field} must be ${describeType(type)}${quoted}${inFile(where)}.`;
  const meant = type.kind === "choice" ? closest(String(value), type.choices) : undefined;
  const hint = `${meant === undefined ? "" : `Did you mean ${meant}? `}Correct or ${PUT_AWAY[place]} ${field}.`;
  if (lenient === true) return { severity: "warning", message, hint: `${hint} Until then the default applies.`, field, ...where };
  return { severity: "error", message, hint, field, ...where };
}

export function duplicateSetting({ field, where }: FoundSetting): ConfigurationIssue {
  return { severity: "error", message: `${field} is set twice${inFile(where)}.`, hint: "Remove one of the two.", field, ...where };
}

export function unknownOption(option: string, known: KnownNames): ConfigurationIssue {
  const message = known.has(option) ? `${option} needs a value.` : `There is no option ${option}.`;
  return { severity: "error", message, hint: suggestion(option.split("=")[0] ?? "", known.keys()), field: option };
}

/** @param field its name among the settings that the program gave. */
export function unknownProgramSetting(field: string): ConfigurationIssue {
  const meant = closest(field, SETTING_NAMES);
  const otherwise = meant === undefined ? "Leave it out." : `Did you mean ${meant}?`;
  const hint = field === "dataDir" ? "Give dataDir beside settings." : otherwise;
  return { severity: "error", message: `There is no setting ${JSON.stringify(field)}.`, hint, field: `settings.${field}` };
}

/** @param where absent when the setting is not in a file yet. */
export function unknownSetting(field: string, where?: PlaceInFile): ConfigurationIssue {
  const issue = { severity: "error", field, ...where } as const;
  const meant = SETTING_NAMES.find((name) => namesOf(name).includes(field));
  if (meant === undefined)
    return { ...issue, message: `There is no setting ${field}${inFile(where)}.`, hint: suggestion(field, SETTING_NAMES) };
  return {
    ...issue,
    message: `${field} cannot be set in a file that belongs to the store${inFile(where)}.`,
    hint: `Set ${variableOf(field)} in the environment${canBeIn(meant, "command line") ? `, or give ${optionOf(field)} to the program` : ""}.`,
  };
}

/** Reports only likely slips, since other programs may have variables with the same prefix. */
export function unknownVariable(variable: string, known: KnownNames): ConfigurationIssue | undefined {
  const meant = closest(variable, known.keys());
  if (meant === undefined) return undefined;
  const message = `${variable} is ignored, because there is no such setting.`;
  return { severity: "warning", message, hint: `Did you mean ${meant}?`, field: variable };
}

/** @param isOfDisk true when the data directory cannot be used; the code that opens the store reports that. */
export function faultyFile(
  file: string,
  { message, place, isOfDisk }: { readonly message: string; readonly place?: TextPlace; readonly isOfDisk?: true },
): ConfigurationIssue {
  return {
    severity: isOfDisk === true ? "warning" : "error",
    message: `${message} (${describePlace(file, place)}).`,
    hint: "Correct or remove the file.",
    file,
    ...place,
  };
}

function suggestion(given: string, names: Iterable<string>): string {
  const meant = closest(given, names);
  return meant === undefined ? "`workrail config list` lists all settings." : `Did you mean ${meant}?`;
}

function inFile(where: PlaceInFile | undefined): string {
  return where === undefined ? "" : ` (${describePlace(where.file, where)})`;
}
