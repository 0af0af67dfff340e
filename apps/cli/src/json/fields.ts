import * as z from "zod";

/** Field schemas of an object, each required: a field that the library adds does not compile before it is described here. */
type FieldsOf<T> = { readonly [Name in keyof T as string extends Name ? never : Name]-?: z.ZodType };

/** Schema of an object as a command prints it, for documentation and tests. Other fields are rejected. */
export function objectOf<T extends object>(fields: FieldsOf<T>): z.ZodObject {
  return z.strictObject(fields);
}

/** Schema of an object to which callers may have added fields. */
export function openObjectOf<T extends object>(fields: FieldsOf<T>): z.ZodObject {
  return z.looseObject(fields);
}

export function text(meaning: string): z.ZodString {
  return z.string().describe(meaning);
}

/** ISO 8601 in UTC. */
export function time(meaning: string): z.ZodType {
  return z.iso.datetime({ precision: 3 }).describe(meaning);
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
