import { STORE_STATUS } from "@workrail/schemas";
import { toObjectSchema } from "../../../apps/mcp-server/src/tool-listing.ts";

/** Keywords for checks of our own: later versions may add fields. */
const LEFT_OUT = new Set(["additionalProperties", "pattern"]);

/** Returns the JSON Schema of the resource `workrail://status`, for `docs/reference/status.md`. A store elsewhere has no `dataDir`. */
export function statusSchema(): unknown {
  return worded(toObjectSchema(STORE_STATUS.partial({ dataDir: true }), "output"));
}

/** Writes the descriptions as sentences, without the links of the tables. */
function worded(part: unknown): unknown {
  if (Array.isArray(part)) return part.map(worded);
  if (typeof part !== "object" || part === null) return part;
  const kept = Object.entries(part).filter(([keyword]) => !LEFT_OUT.has(keyword));
  return Object.fromEntries(
    kept.map(([keyword, value]: [string, unknown]) => [keyword, keyword === "description" ? sentence(String(value)) : worded(value)]),
  );
}

function sentence(text: string): string {
  const plain = text.replaceAll(/\[([^\]]+)\]\([^)]+\)/gu, "$1");
  return plain.charAt(0).toUpperCase() + plain.slice(1);
}
