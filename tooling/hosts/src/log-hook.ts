/** A hook for tests: `node log-hook.ts LOG [TEXT]` appends the payload to LOG as one line, and prints TEXT at the start of a session. */
import { appendFileSync } from "node:fs";
import { text as readText } from "node:stream/consumers";

const [, , log, spoken] = process.argv;
if (log === undefined) throw new Error("Usage: node log-hook.ts LOG [TEXT]");
const payload = JSON.parse(await readText(process.stdin)) as { readonly hook_event_name?: string };
appendFileSync(log, `${JSON.stringify(payload)}\n`);
if (spoken !== undefined && payload.hook_event_name === "SessionStart") {
  process.stdout.write(JSON.stringify({ hookSpecificOutput: { hookEventName: "SessionStart", additionalContext: spoken } }));
}
