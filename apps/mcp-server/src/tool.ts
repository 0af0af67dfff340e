import { isJsonObject, type JsonObject } from "@workrail/core";
import * as z from "zod";
import type { TellProgress } from "./progress.ts";
import type { Ask } from "./question.ts";
import type { ToolFailure } from "./wire-errors.ts";

/** The caller, and whether it still waits for the answer. */
export interface ToolCall {
  /** Name and version that the client gave; undefined when it gave none. */
  readonly client: { readonly name: string; readonly version: string } | undefined;
  /** Aborted when the client cancels the call or the server stops. */
  readonly signal: AbortSignal;
  /** Reports how far the call is; absent when the client did not ask for it. */
  readonly progress?: TellProgress | undefined;
  /**
   * Asks the person at the client; absent when that is not possible. A tool asks before it changes anything: some clients answer by calling
   * again, and then it runs from the start.
   */
  readonly ask?: Ask | undefined;
  /** Original digits of integers that exceed JavaScript's numbers. The tool receives the rounded values. */
  readonly rounded: readonly string[];
}

/** Hints about a tool for hosts. */
export interface ToolAnnotations {
  readonly readOnlyHint: boolean;
  readonly destructiveHint: boolean;
  readonly idempotentHint: boolean;
  readonly openWorldHint: false;
}

/**
 * One tool, independent of any MCP library.
 *
 * `input` is a flat strict object, since clients drop or refuse a union at the top. `output` is a loose object, so that later versions may
 * add fields. See {@link defineTool}.
 */
export interface Tool<Input extends z.ZodObject = z.ZodObject, Output extends z.ZodObject = z.ZodObject> {
  /** 1 to 64 characters of `a-z A-Z 0-9 _ -`. */
  readonly name: string;
  readonly title: string;
  /** The first sentence says when to use the tool; hosts may show only that. */
  readonly description: string;
  readonly input: Input;
  readonly output: Output;
  readonly annotations: ToolAnnotations;
  /**
   * True when some calls of the tool change nothing: a read-only server then offers the tool, and the store refuses its other calls.
   * Default: `readOnlyHint`.
   */
  readonly canOnlyRead?: boolean;
  /** `_meta` of the tool in the list, such as `{ "anthropic/alwaysLoad": true }`. */
  readonly meta?: Readonly<Record<string, unknown>>;
  /**
   * Aliases that models use for fields, alias to field. The snake_case form of a camelCase field and the reverse are always accepted and
   * not listed here.
   */
  readonly aliases?: Readonly<Record<string, string>>;
  /** Converts an error, for tools whose specification defines its own form. Default: `toToolFailure`. */
  toFailure?(error: unknown): ToolFailure;
  /** `_meta` of a successful result, such as `{ code: "CONTEXT_UNCHANGED" }`. */
  resultMeta?(result: z.output<Output>): Readonly<Record<string, unknown>> | undefined;
  /** Rejects with a coded error for a failure that the caller should know. */
  run(input: z.output<Input>, call: ToolCall): Promise<z.output<Output>>;
}

/** Keyword of a schema that `unlisted` sets. */
export const UNLISTED = "unlisted";

/**
 * Keeps a field out of the tool list, which every request of a host pays for. The field is accepted or returned all the same, and
 * `docs/reference/tools.md` describes it. For fields that a model seldom needs, never for those of a specification.
 */
export function unlisted<Field extends z.ZodType>(field: Field): Field {
  return field.meta({ [UNLISTED]: true });
}

/** Checks a tool's types against each other and erases them, so that tools fit in one list. */
export function defineTool<Input extends z.ZodObject, Output extends z.ZodObject>(tool: Tool<Input, Output>): Tool {
  return tool;
}

/**
 * A field that accepts any JSON object and passes on the same value.
 *
 * `z.record` and `z.looseObject` copy the value, and lose a key named `__proto__`.
 */
export function jsonObject(): z.ZodCustom<JsonObject, JsonObject> {
  return z.custom<JsonObject>(isJsonObject, { error: "must be an object" }).meta({ type: "object" });
}

/** A field that accepts a JSON object or its JSON text: models send objects as text, although the schema they read does not allow it. */
export function jsonOrText(): z.ZodCustom<JsonObject | string, JsonObject | string> {
  const isEither = (value: unknown): boolean => isJsonObject(value) || typeof value === "string";
  return z.custom<JsonObject | string>(isEither, { error: "must be an object" }).meta({ type: "object" });
}
