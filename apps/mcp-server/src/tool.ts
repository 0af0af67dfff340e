import { isJsonObject, type JsonObject } from "@workrail/core";
import * as z from "zod";
import type { ToolFailure } from "./wire-errors.ts";

/** Who is calling, and whether they still want the answer. */
export interface ToolCall {
  /** As the client named itself; undefined when it did not. */
  readonly client: { readonly name: string; readonly version: string } | undefined;
  /** Aborted when the client cancels the call or the server stops. */
  readonly signal: AbortSignal;
  /** Integers of the call with more digits than a number of JavaScript has, as they were sent: the tool is given what they were rounded to. */
  readonly rounded: readonly string[];
}

/** What a host may know about a tool before calling it. */
export interface ToolAnnotations {
  readonly readOnlyHint: boolean;
  readonly destructiveHint: boolean;
  readonly idempotentHint: boolean;
  readonly openWorldHint: false;
}

/**
 * One tool of the catalogue, independent of any MCP library.
 *
 * `input` is a flat strict object: a union at the top would be dropped or refused by clients. `output`
 * is a loose object, so that a later version may add to it. See {@link defineTool}.
 */
export interface Tool<Input extends z.ZodObject = z.ZodObject, Output extends z.ZodObject = z.ZodObject> {
  /** 1 to 64 characters of `a-z A-Z 0-9 _ -`. */
  readonly name: string;
  readonly title: string;
  /** The first sentence says when to use the tool: hosts may show no more of it. */
  readonly description: string;
  readonly input: Input;
  readonly output: Output;
  readonly annotations: ToolAnnotations;
  /** The tool has calls that change nothing, so a read-only server offers it, and the store refuses its other calls. Default: `readOnlyHint`. */
  readonly canOnlyRead?: boolean;
  /** Sent as `_meta` of the tool in the list, such as `{ "anthropic/alwaysLoad": true }`. */
  readonly meta?: Readonly<Record<string, unknown>>;
  /**
   * Other names that models use for a field, name to field. The snake_case form of a camelCase field
   * and the reverse are always understood and need not be listed.
   */
  readonly aliases?: Readonly<Record<string, string>>;
  /** How a failure is told, for tools whose specification has a form of its own. Default: `toToolFailure`. */
  toFailure?(error: unknown): ToolFailure;
  /** `_meta` of a successful result, such as `{ code: "CONTEXT_UNCHANGED" }`. */
  resultMeta?(result: z.output<Output>): Readonly<Record<string, unknown>> | undefined;
  /** Rejects with a coded error for a failure that the caller should read about. */
  run(input: z.output<Input>, call: ToolCall): Promise<z.output<Output>>;
}

/** Checks a tool's own types against each other and forgets them, so that tools fit in one list. */
export function defineTool<Input extends z.ZodObject, Output extends z.ZodObject>(tool: Tool<Input, Output>): Tool {
  return tool;
}

/**
 * A field that takes any JSON object and hands on the very value that was sent.
 *
 * `z.record` and `z.looseObject` copy what they accept, and a key named `__proto__` is lost on the way.
 */
export function jsonObject(): z.ZodCustom<JsonObject, JsonObject> {
  return z.custom<JsonObject>(isJsonObject, { error: "must be an object" }).meta({ type: "object" });
}

/** The same, or the JSON text of one: models send objects so, although the schema that they read has no texts. */
export function jsonOrText(): z.ZodCustom<JsonObject | string, JsonObject | string> {
  const isEither = (value: unknown): boolean => isJsonObject(value) || typeof value === "string";
  return z.custom<JsonObject | string>(isEither, { error: "must be an object" }).meta({ type: "object" });
}
