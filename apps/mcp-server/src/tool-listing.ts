import { isJsonObject } from "@workrail/core";
import * as z from "zod";
import { type Tool, type ToolAnnotations, UNLISTED } from "./tool.ts";

/** JSON Schema of an object, with keywords that draft-07 and 2020-12 share. */
export interface ObjectSchema {
  readonly type: "object";
  readonly properties?: Readonly<Record<string, object>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean;
  readonly [keyword: string]: unknown;
}

/** A tool as `tools/list` shows it. */
export interface ToolListing {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly inputSchema: ObjectSchema;
  readonly outputSchema: ObjectSchema;
  readonly annotations: ToolAnnotations & { readonly title: string };
  readonly _meta?: Readonly<Record<string, unknown>>;
}

/** Describes one tool for `tools/list`. */
export function listTool(tool: Tool): ToolListing {
  return {
    name: tool.name,
    title: tool.title,
    description: tool.description,
    inputSchema: briefSchema(tool.input, "input"),
    outputSchema: briefSchema(tool.output, "output"),
    annotations: { title: tool.title, ...tool.annotations },
    ...(tool.meta !== undefined && { _meta: tool.meta }),
  };
}

/** Schemas that were converted: a server over HTTP lists the same tools for each caller, and converting takes milliseconds. */
const converted = { input: new WeakMap<z.ZodObject, ObjectSchema>(), output: new WeakMap<z.ZodObject, ObjectSchema>() };

function briefSchema(schema: z.ZodObject, io: "input" | "output"): ObjectSchema {
  const brief = converted[io].get(schema) ?? inBrief(toObjectSchema(schema, io));
  converted[io].set(schema, brief);
  return brief;
}

/**
 * Returns the faults of a catalogue of tools, one sentence each; empty when there are none.
 *
 * With these faults hosts hide a tool or refuse the whole request. They are programming errors, so tests check them, not each start.
 */
export function findCatalogueFaults(tools: readonly Tool[]): readonly string[] {
  const faults: string[] = [];
  const names = new Set<string>();
  for (const tool of tools) {
    if (!/^[a-zA-Z0-9_-]{1,64}$/u.test(tool.name)) {
      faults.push(`${tool.name}: hosts do not offer a tool of this name`);
    }
    if (names.has(tool.name)) {
      faults.push(`${tool.name}: the name is used twice`);
    }
    names.add(tool.name);
    if (toObjectSchema(tool.input, "input").additionalProperties !== false) {
      faults.push(`${tool.name}: the input must be strict`);
    }
    if (toObjectSchema(tool.output, "output").additionalProperties === false) {
      faults.push(`${tool.name}: the output must be open, or a later field breaks clients`);
    }
    faults.push(...findListingFaults(listTool(tool)));
  }
  return faults;
}

function findListingFaults(listing: ToolListing): readonly string[] {
  const faults: string[] = [];
  for (const side of ["inputSchema", "outputSchema"] as const) {
    const schema = listing[side];
    const unions = ["oneOf", "anyOf", "allOf"].filter((keyword) => keyword in schema);
    if (schema.type !== "object" || unions.length > 0) {
      faults.push(`${listing.name}: ${side} must be one plain object`);
    }
    for (const [field, property] of Object.entries(schema.properties ?? {})) {
      if (!("description" in property)) {
        faults.push(`${listing.name}: ${side}.${field} has no description`);
      }
    }
  }
  return faults;
}

/** Converts one of our schemas to JSON Schema. */
export function toObjectSchema(schema: z.ZodObject, io: "input" | "output"): ObjectSchema {
  const json = z.toJSONSchema(schema, {
    target: "draft-2020-12",
    io,
    unrepresentable: "any",
    override: ({ jsonSchema }) => dropNoise(jsonSchema),
  });
  // Dropped: validators that know one dialect refuse the name of the other, and the keywords used are the same in both.
  const { $schema: _dialect, "~standard": _standard, ...rest } = json as Record<string, unknown>;
  return splitTypes(rest) as ObjectSchema;
}

/** Keywords left out of the listing: calls are checked in any case, and `docs/reference/tools.md` has them. */
const LEFT_OUT = new Set([
  "minimum",
  "maximum",
  "minLength",
  "maxLength",
  "minItems",
  "maxItems",
  "format",
  "const",
  "additionalProperties",
  "properties",
  "required",
  UNLISTED,
]);

/**
 * Shortens a schema for a model: drops unlisted fields, bounds, and the fields of nested objects. Also drops the ban on other arguments: a
 * client that checks arguments itself would refuse `session_id`, which is accepted.
 */
function inBrief({ properties = {}, required = [] }: ObjectSchema): ObjectSchema {
  const listed = Object.entries(properties).filter(([, field]) => !(UNLISTED in field));
  const names = new Set(listed.map(([name]) => name));
  const always = required.filter((name) => names.has(name));
  return {
    type: "object",
    properties: Object.fromEntries(listed.map(([name, field]) => [name, withoutInside(field) as object])),
    ...(always.length === 0 ? {} : { required: always }),
  };
}

function withoutInside(part: unknown): unknown {
  if (Array.isArray(part)) return part.map(withoutInside);
  if (!isJsonObject(part)) return part;
  const kept = Object.entries(part).filter(([keyword]) => !LEFT_OUT.has(keyword));
  return Object.fromEntries(kept.map(([keyword, value]) => [keyword, withoutInside(value)]));
}

/** Removes keywords without information: each request of the host would pay for them in tokens. */
function dropNoise(schema: z.core.JSONSchema.BaseSchema): void {
  if (schema.minimum === Number.MIN_SAFE_INTEGER) {
    delete schema.minimum;
  }
  if (schema.maximum === Number.MAX_SAFE_INTEGER) {
    delete schema.maximum;
  }
  const extra = schema.additionalProperties;
  if (typeof extra === "object" && Object.keys(extra).length === 0) {
    delete schema.additionalProperties;
  }
}

/** Replaces a list of types by `anyOf`: clients that know only single types refuse or drop the list. */
function splitTypes(part: unknown): unknown {
  if (Array.isArray(part)) {
    return part.map(splitTypes);
  }
  if (!isJsonObject(part)) {
    return part;
  }
  const { type, ...rest } = part;
  const split = Object.fromEntries(
    Object.entries(Array.isArray(type) ? rest : part).map(([keyword, value]) => [keyword, splitTypes(value)]),
  );
  return Array.isArray(type) ? { anyOf: type.map((each: unknown) => ({ type: each })), ...split } : split;
}
