import * as z from "zod";
import { canBeIn, SETTING_NAMES, SETTINGS, type SettingType } from "./setting-table.ts";

/** Schema of `config.json`. */
export const configSchema: z.ZodObject = z
  .strictObject(
    Object.fromEntries(
      SETTING_NAMES.filter((name) => canBeIn(name, "file")).map((name) => {
        const { type, meaning, default: standard } = SETTINGS[name];
        return [
          name,
          schemaOf(type)
            .meta({ description: meaning, ...(standard === undefined ? {} : { default: standard }) })
            .optional(),
        ];
      }),
    ),
  )
  .extend({ $schema: z.string().meta({ description: "The location of this schema, for editors." }).optional() })
  .meta({ title: "Workrail's config.json", description: "Settings of a Workrail store; all are optional. Comments are allowed." });

/** Returns the same as JSON Schema. */
export function configJsonSchemaNow(): Readonly<Record<string, unknown>> {
  return z.toJSONSchema(configSchema, { target: "draft-2020-12" });
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
