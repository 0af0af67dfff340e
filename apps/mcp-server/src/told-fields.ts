import type { ResultSchema } from "@workrail/schemas";
import * as z from "zod";

/**
 * Words for the fields inside a field, by the dotted path: a description, or `false` to leave the field out of the listing. A field without
 * words is listed without a description.
 */
type WordsInside = Readonly<Record<string, string | false>>;

/** A field of the output as the compiler sees it. */
type ToldField<T, Name extends keyof T> = undefined extends T[Name]
  ? z.ZodOptional<z.ZodCustom<T[Name], T[Name]>>
  : z.ZodCustom<T[Name], T[Name]>;

type ToldFields<T, Told> = {
  readonly [Name in keyof Told]: Told[Name] extends z.ZodType ? Told[Name] : Name extends keyof T ? ToldField<T, Name> : never;
};

/**
 * Builds a tool's output from the schema of a result of the library: names the fields in the order of the listing, each with a few words for
 * the model. A field that the tool changes or adds is given as its own schema.
 */
export function toldFields<
  T extends object,
  const Told extends { readonly [Name in keyof Told]: Name extends keyof T ? string | z.ZodType : z.ZodType },
>(result: ResultSchema<T>, told: Told): z.ZodObject<ToldFields<T, Told>, z.core.$loose> {
  const shape: Readonly<Record<string, z.ZodType>> = result.shape;
  const fields = Object.entries<string | z.ZodType>(told).map(([name, words]) => {
    if (typeof words !== "string") return [name, words];
    const type = shape[name];
    if (type === undefined) throw new Error(`The result has no field ${name}.`);
    const field = toldField(type, words);
    return [name, isAlwaysThere(type) ? field : field.optional()];
  });
  return z.looseObject(Object.fromEntries(fields)) as never;
}

/** Describes one field for a model: its type as in the schema, without bounds and without the descriptions of the reference. */
export function toldField(type: z.ZodType, words: string, inside: WordsInside = {}): z.ZodType {
  return z.custom<unknown>().meta({ ...toldPart(type, inside, ""), description: words });
}

/**
 * Returns the JSON Schema of a part, as far as a model needs it.
 *
 * @param path of the part below the field; empty for the field.
 */
function toldPart(type: z.core.$ZodType, inside: WordsInside, path: string): object {
  const { def } = (type as z.core.$ZodTypes)._zod;
  switch (def.type) {
    case "optional":
    case "nonoptional":
      return toldPart(def.innerType, inside, path);
    case "nullable":
      return { anyOf: [toldPart(def.innerType, inside, path), { type: "null" }] };
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
      return { type: "array", items: toldPart(def.element, inside, path) };
    case "record":
      return { type: "object" };
    case "object":
      return toldObject(def.shape, inside, path);
    default:
      throw new Error(`Models are not told of ${def.type}.`);
  }
}

function toldObject(shape: Readonly<Record<string, z.core.$ZodType>>, inside: WordsInside, path: string): object {
  const parts = Object.entries(shape)
    .map(([name, type]) => ({ name, type, place: path === "" ? name : `${path}.${name}` }))
    .filter(({ place }) => inside[place] !== false);
  const properties = parts.map(({ name, type, place }) => {
    const words = inside[place];
    return [name, { ...toldPart(type, inside, place), ...(typeof words === "string" ? { description: words } : {}) }];
  });
  const required = parts.filter(({ type }) => isAlwaysThere(type)).map(({ name }) => name);
  return { type: "object", properties: Object.fromEntries(properties), ...(required.length === 0 ? {} : { required }) };
}

function isAlwaysThere(type: z.core.$ZodType): boolean {
  return type._zod.optout !== "optional";
}
