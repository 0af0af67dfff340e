import { z } from "zod";
import { canBeIn, SETTING_NAMES, type SettingName, SETTINGS, type SettingType } from "./setting-table.ts";

/** What each setting may be, wherever it comes from. Texts of the environment and the command line are first read as JSON would have them. */
const VALUES: Readonly<Record<SettingName, z.ZodType>> = byName((name) => schemaOf(SETTINGS[name].type));

/** What `config.json` may hold. */
const configSchema = z
  .strictObject(
    Object.fromEntries(
      SETTING_NAMES.filter((name) => canBeIn(name, "file")).map((name) => {
        const { meaning, default: standard } = SETTINGS[name];
        return [name, VALUES[name].meta({ description: meaning, ...(standard === undefined ? {} : { default: standard }) }).optional()];
      }),
    ),
  )
  .extend({ $schema: z.string().meta({ description: "Where this schema is, for editors." }).optional() })
  .meta({ title: "Workrail's config.json", description: "Settings of a Workrail store; all are optional. Comments are allowed." });

/** The JSON Schema of `config.json`. */
export function configJsonSchema(): Readonly<Record<string, unknown>> {
  return z.toJSONSchema(configSchema, { target: "draft-2020-12" });
}

/** Whether a setting may be this. */
export function isAllowed(name: SettingName, value: unknown): boolean {
  return VALUES[name].safeParse(value).success;
}

/** What a text says, in the form that the file would have it; a text that says nothing of the kind stays what it is. */
export function readText(type: SettingType, text: string): unknown {
  const { kind } = type;
  if (kind === "whole" && /^\d+$/u.test(text)) return Number(text);
  if (kind === "flag" && /^(true|1)$/u.test(text)) return true;
  if (kind === "flag" && /^(false|0)$/u.test(text)) return false;
  // In capitals or not.
  if (kind === "choice") return type.choices.find((choice) => choice.toLowerCase() === text.toLowerCase()) ?? text;
  return text;
}

function schemaOf(type: SettingType): z.ZodType {
  switch (type.kind) {
    case "whole":
      return z
        .int()
        .min(type.least)
        .max(type.most ?? Number.MAX_SAFE_INTEGER);
    case "choice":
      return z.enum(type.choices);
    case "flag":
      return z.boolean();
    case "address":
      return z.url({ protocol: /^https?$/u });
    case "text":
    case "path":
      return z.string().min(1);
  }
}

function byName<T>(make: (name: SettingName) => T): Readonly<Record<SettingName, T>> {
  return Object.fromEntries(SETTING_NAMES.map((name) => [name, make(name)])) as Record<SettingName, T>;
}
