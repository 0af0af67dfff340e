import type { Context } from "../model/context.ts";
import type { Limits } from "../model/limits.ts";
import { checkContext } from "./prepare-context.ts";
import { copyOf } from "./with-members.ts";

/**
 * Checks and copies a context, so that later changes by the caller have no effect. Texts are shared, so that a copy of many
 * megabytes takes little memory.
 *
 * @throws as `prepareContext`, except TOO_LARGE.
 */
export function ownContext(given: unknown, limits: Limits): Context {
  return copyOf(checkContext(given, limits).context) as Context;
}
