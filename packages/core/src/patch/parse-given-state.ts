import { invalidInput, type WorkrailError } from "../errors.ts";
import { checkContext, ownContext } from "../json/saved-content.ts";
import { type Context, isJsonObject } from "../model/context.ts";
import type { Limits } from "../model/limits.ts";
import { ownText } from "./json-text.ts";
import { parsePatch } from "./parse-patch.ts";
import type { Patch } from "./patch.ts";
import { quoted } from "./quoted-name.ts";

/** State given to be saved: the whole context, or a patch. */
export type GivenState = (
  | {
      readonly context: Context;
      readonly patch?: undefined;
    }
  | { readonly context?: undefined; readonly patch: Patch }
) & {
  /** Fields that came as texts and were parsed as JSON. */
  readonly parsed: readonly string[];
};

/**
 * Captures a state, so that later changes by the caller have no effect.
 *
 * @throws INVALID_INPUT unless exactly one of `context` and `patch` is given and valid; TOO_LARGE.
 */
export function parseGivenState(given: { readonly context?: unknown; readonly patch?: unknown }, limits: Limits): GivenState {
  const parsed: string[] = [];
  const reading = { limits, read: (field: string): void => void parsed.push(field) };
  if (given.patch === undefined) {
    const context = ownText(given.context, "context", reading);
    if (context === undefined) throw neither();
    if (typeof given.context === "string") return { context: checkContext(context, limits).context, parsed };
    return { context: ownContext(context, limits), parsed };
  }
  const patch = ownText(given.patch, "patch", reading);
  if (!isJsonObject(patch)) throw noObject(patch);
  const own = parsePatch(patch, reading);
  if (given.context !== undefined) throw both(own);
  return { patch: own, parsed };
}

function neither(): WorkrailError {
  return invalidInput("context", "context or patch is required.", `Send the whole state as context, or what changed as patch: ${FORM}.`);
}

const FORM = `{"patch":{"set":{"key":...},"append":{"list":[...]},"remove":["key"]}}`;

function noObject(given: unknown): WorkrailError {
  const what = Array.isArray(given) ? "patch is not a JSON Patch: it is an object, not a list." : "patch must be an object.";
  return invalidInput("patch", what, `Send ${FORM}.`);
}

function both({ set, append, remove }: Patch): WorkrailError {
  const told = [
    ...(set.length === 0 ? [] : [`"set":{${names(set)}}`]),
    ...(append.length === 0 ? [] : [`"append":{${names(append)}}`]),
    ...(remove.length === 0 ? [] : [`"remove":[...]`]),
  ];
  return invalidInput(
    "patch",
    "context and patch cannot be given together.",
    `To save changes, leave context out: {"patch":{${told.join(",")}}}. To replace the whole state, leave patch out.`,
  );
}

const MOST_NAMED = 5;

function names(entries: readonly (readonly [name: string, value: unknown])[]): string {
  const named = entries.slice(0, MOST_NAMED).map(([name]) => `${quoted(name)}:...`);
  return [...named, ...(entries.length > MOST_NAMED ? ["..."] : [])].join(",");
}
