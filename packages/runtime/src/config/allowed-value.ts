import { SETTINGS, type SettingName, type SettingType } from "./setting-table.ts";

/**
 * Tells whether a value is allowed for a setting.
 *
 * Agrees with the schema of `config.json`, whose library takes longer to load than most commands take to run.
 */
export function isAllowed(name: SettingName, value: unknown): boolean {
  const { type } = SETTINGS[name];
  switch (type.kind) {
    case "whole":
      return Number.isSafeInteger(value) && Number(value) >= type.least && Number(value) <= (type.most ?? Number.MAX_SAFE_INTEGER);
    case "choice":
      return typeof value === "string" && type.choices.includes(value);
    case "flag":
      return typeof value === "boolean";
    case "address":
      return typeof value === "string" && URL.canParse(value) && /^https?:$/u.test(new URL(value).protocol);
    case "text":
    case "path":
      return typeof value === "string" && value !== "";
  }
}

/** Parses the text of a setting into the form that `config.json` has. Returns a text unchanged when it does not parse as the type. */
export function readText(type: SettingType, text: string): unknown {
  const { kind } = type;
  if (kind === "whole" && /^\d+$/u.test(text)) return Number(text);
  if (kind === "flag" && /^(true|1)$/u.test(text)) return true;
  if (kind === "flag" && /^(false|0)$/u.test(text)) return false;
  if (kind === "choice") return chosen(type, text.toLowerCase()) ?? text;
  return text;
}

/** Ignores case. */
function chosen({ choices, flags }: Extract<SettingType, { readonly kind: "choice" }>, text: string): string | undefined {
  if (flags !== undefined && /^(true|1)$/u.test(text)) return flags.true;
  if (flags !== undefined && /^(false|0)$/u.test(text)) return flags.false;
  return choices.find((choice) => choice.toLowerCase() === text);
}
