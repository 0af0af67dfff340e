// Writes the tables of docs/reference/cli.md on the output of --json, from the schemas of @workrail/schemas and apps/cli/src/json. Run it with
// Node after a change of these; `npm run fix` formats the tables.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { jsonTables, type Row } from "./cli-tables.ts";
import { ROOT } from "./workspace.ts";

const page = join(ROOT, "docs/reference/cli.md");
let text = readFileSync(page, "utf8");
for (const [mark, rows] of jsonTables()) {
  const place = `<!-- ${mark} -->\n`;
  const start = text.indexOf(place);
  if (start < 0) throw new Error(`docs/reference/cli.md has no place for a table: ${place}`);
  const rest = text.slice(start + place.length).replace(/^\n+(?:\|.*\n)*/u, "");
  text = `${text.slice(0, start)}${place}\n${tableOf(rows)}\n${rest.startsWith("\n") ? "" : "\n"}${rest}`;
}
writeFileSync(page, text);

function tableOf(rows: readonly Row[]): string {
  const lines = [["field", "type", "always", "meaning"], ["---", "---", "---", "---"], ...rows];
  return lines.map((cells) => `| ${cells.join(" | ")} |`).join("\n");
}
