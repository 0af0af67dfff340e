import type { ResultSchema } from "@workrail/schemas";
import * as z from "zod";
import { unlisted } from "./tool.ts";

/** A field of the output as the compiler sees it. */
type AnswerFieldOf<T, Name extends keyof T> = undefined extends T[Name]
  ? z.ZodOptional<z.ZodCustom<T[Name], T[Name]>>
  : z.ZodCustom<T[Name], T[Name]>;

type AnswerFields<T, Told> = {
  readonly [Name in keyof Told]: Told[Name] extends z.ZodType ? Told[Name] : Name extends keyof T ? AnswerFieldOf<T, Name> : never;
};

/**
 * Builds a tool's output from the schema of a result of the library: names the fields in the order of the listing, each with a few words for
 * the model, or `unlisted`. A field that the tool changes or adds is given as its own schema.
 */
export function answerFields<
  T extends object,
  const Told extends { readonly [Name in keyof Told]: Name extends keyof T ? string | typeof unlisted | z.ZodType : z.ZodType },
>(result: ResultSchema<T>, told: Told): z.ZodObject<AnswerFields<T, Told>, z.core.$loose> {
  const shape: Readonly<Record<string, z.ZodType>> = result.shape;
  const fields = Object.entries<string | typeof unlisted | z.ZodType>(told).map(([name, words]) => {
    if (typeof words === "object") return [name, words];
    const type = shape[name];
    if (type === undefined) throw new Error(`The result has no field ${name}.`);
    const field = typeof words === "string" ? answerField(type, words) : unlisted(answerField(type));
    return [name, isAlwaysThere(type) ? field : field.optional()];
  });
  return z.looseObject(Object.fromEntries(fields)) as never;
}

/**
 * Describes one field for a model: its type as in the schema, without bounds and without the descriptions of the reference.
 *
 * @param without fields inside it that the tool never returns, as dotted paths.
 */
export function answerField(type: z.ZodType, words?: string, without: readonly string[] = []): z.ZodType {
  return z.custom<unknown>().meta({ ...toldPart(type, without, ""), ...(words === undefined ? {} : { description: words }) });
}

/**
 * Returns the JSON Schema of a part.
 *
 * @param path of the part below the field; empty for the field.
 */
function toldPart(type: z.core.$ZodType, without: readonly string[], path: string): object {
  const { def } = (type as z.core.$ZodTypes)._zod;
  switch (def.type) {
    case "optional":
    case "nonoptional":
      return toldPart(def.innerType, without, path);
    case "nullable":
      return { anyOf: [toldPart(def.innerType, without, path), { type: "null" }] };
    case "string":
      return "format" in def && def.format === "datetime" ? { type: "string", format: "date-time" } : { type: "string" };
    case "number":
    case "boolean":
      return { type: def.type };
    case "literal":
      return { type: typeof def.values[0] };
    case "enum":
      return { type: "string", enum: Object.values(def.entries) };
    case "array":
      return { type: "array", items: toldPart(def.element, without, path) };
    case "record":
      return { type: "object" };
    case "object":
      return toldObject(def.shape, without, path);
    default:
      throw new Error(`Models are not told of ${def.type}.`);
  }
}

function toldObject(shape: Readonly<Record<string, z.core.$ZodType>>, without: readonly string[], path: string): object {
  const parts = Object.entries(shape)
    .map(([name, type]) => ({ name, type, place: path === "" ? name : `${path}.${name}` }))
    .filter(({ place }) => !without.includes(place));
  const properties = parts.map(({ name, type, place }) => [name, toldPart(type, without, place)]);
  const required = parts.filter(({ type }) => isAlwaysThere(type)).map(({ name }) => name);
  return { type: "object", properties: Object.fromEntries(properties), ...(required.length === 0 ? {} : { required }) };
}

function isAlwaysThere(type: z.core.$ZodType): boolean {
  return type._zod.optout !== "optional";
}
