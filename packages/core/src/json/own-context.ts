import type { Context } from "../model/context.ts";
import type { Limits } from "../model/limits.ts";
import { checkContext } from "./prepare-context.ts";
import { copyOf } from "./with-members.ts";

/**
 * A context as it is now: what its owner does to it afterwards makes no difference. Texts are shared, so that one of many megabytes
 * takes little more room.
 *
 * @throws as `prepareContext`, unless that finds the context too large.
 */
export function ownContext(given: unknown, limits: Limits): Context {
  return copyOf(checkContext(given, limits).context) as Context;
}
