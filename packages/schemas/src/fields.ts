import * as z from "zod";

/** Field schemas of an object, each required: a field that the library adds does not compile before it is described here. */
type FieldsOf<T> = { readonly [Name in keyof T as string extends Name ? never : Name]-?: z.ZodType };

/** Schema of a result: of each field of the type, as JSON. */
export type ResultSchema<T> = z.ZodObject<FieldsOf<T>>;

/** Schema of an object of the library as JSON. Other fields are rejected. */
export function objectOf<T extends object>(fields: FieldsOf<T>): ResultSchema<T> {
  return z.strictObject(fields) as unknown as ResultSchema<T>;
}

export function text(meaning: string): z.ZodString {
  return z.string().describe(meaning);
}

const TIME = z.iso.datetime({ precision: 3 });

/** ISO 8601 in UTC. */
export function time(meaning: string): z.ZodType {
  return TIME.describe(meaning);
}

export function count(meaning: string): z.ZodNumber {
  return z.int().min(0).describe(meaning);
}

export function figure(meaning: string): z.ZodNumber {
  return z.number().describe(meaning);
}

export function flag(meaning: string): z.ZodBoolean {
  return z.boolean().describe(meaning);
}

/** Present only when true. */
export function mark(meaning: string): z.ZodType {
  return z.literal(true).optional().describe(meaning);
}

export function oneOf(words: readonly string[], meaning: string): z.ZodType {
  return z.enum(words).describe(meaning);
}

export function listOf(item: z.ZodType, meaning: string): z.ZodType {
  return z.array(item).describe(meaning);
}

export function texts(meaning: string): z.ZodType {
  return listOf(z.string(), meaning);
}

/** Any JSON object: a context. */
export function anyObject(meaning: string): z.ZodType {
  return z.record(z.string(), z.unknown()).describe(meaning);
}
