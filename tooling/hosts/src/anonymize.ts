import { release } from "node:os";

/** The directory in a recorded session's paths. */
export const RECORDED_HOME = "/home/user";

/** Characters. Longer texts in lines of the host are cut. */
const LONGEST_OWN_TEXT = 600;
const OWN_TYPES = new Set(["attachment", "api-request-shape", "api-request", "session_meta", "world_state", "turn_context"]);

/** A transcript without paths of the machine, and without long texts that belong to the host (prompts, tool descriptions). */
export function anonymize(transcript: string, home: string): string {
  const lines = replacePaths(transcript, home).split("\n");
  return lines.map((line) => (line === "" ? line : shortened(line))).join("\n");
}

function replacePaths(text: string, home: string): string {
  const { HOME, PYENV_ROOT } = process.env;
  const pairs: readonly (readonly [string | RegExp, string])[] = [
    [home, RECORDED_HOME],
    // Claude Code names folders after paths, with each other character as a dash.
    [home.replaceAll(/[^A-Za-z0-9]/g, "-"), RECORDED_HOME.replaceAll("/", "-")],
    ...(PYENV_ROOT === undefined ? [] : [[new RegExp(`${literally(PYENV_ROOT)}/versions/[^/]+`, "g"), "/usr"] as const]),
    // Not the `</root>` of an XML text.
    ...(HOME === undefined ? [] : [[new RegExp(`(?<![\\w<])${literally(HOME)}(?=[/"\\s])`, "g"), RECORDED_HOME] as const]),
    [release(), "6.8.0"],
    [/http:\/\/127\.0\.0\.1:\d+/g, "http://127.0.0.1:8080"],
  ];
  return pairs.reduce((so, [from, to]) => so.replaceAll(from, to), text);
}

function shortened(line: string): string {
  const entry = JSON.parse(line) as { readonly type?: string; readonly payload?: { readonly role?: string } };
  const isOwn = OWN_TYPES.has(entry.type ?? "") || entry.payload?.role === "developer";
  return isOwn ? JSON.stringify(entry, (_key, value: unknown) => (typeof value === "string" ? cut(value) : value)) : line;
}

function cut(text: string): string {
  return text.length <= LONGEST_OWN_TEXT ? text : `${text.slice(0, 200)}... (${text.length - 200} characters of the host left out)`;
}

/** A text as a regular expression that matches it. */
function literally(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
}
