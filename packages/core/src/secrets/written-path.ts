import type { FindSecrets } from "../ports/secret-scanner.ts";
import type { JsonPlace } from "./json-places.ts";
import { redact } from "./redact.ts";

const LONGEST_KEY = 40;
const LONGEST_PATH = 120;

/**
 * Formats a path for people, such as `context["servers"][2]["url"]`. Secrets in keys are replaced by placeholders.
 *
 * @param root beginning of the path; without it the first key is written as a name.
 */
export function writtenPath({ path, within }: JsonPlace, find: FindSecrets, root?: string): string {
  const parents = within === "key" ? path.slice(0, -1) : path;
  const [first = "", ...rest] = root === undefined ? parents : [root, ...parents];
  const written = String(first) + [...rest.map((key) => segment(key, find)), ...(within === "key" ? ["[a key]"] : [])].join("");
  return written.length <= LONGEST_PATH ? written : `${written.slice(0, LONGEST_PATH).toWellFormed()}...`;
}

function segment(key: string | number, find: FindSecrets): string {
  if (typeof key === "number") return `[${key}]`;
  // Redacts before shortening: half of a secret would not be recognised.
  const shown = redact(key, find).text;
  return `[${JSON.stringify(shown.length <= LONGEST_KEY ? shown : `${shown.slice(0, LONGEST_KEY).toWellFormed()}...`)}]`;
}
