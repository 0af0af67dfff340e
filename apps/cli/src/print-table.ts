import { note, outputWidth, styled, writeData } from "./print.ts";
import { type Column, renderTable } from "./render-table.ts";

/** Prints rows as a table that fits the terminal, and names the columns that did not fit. */
export async function printTable<Row>(columns: readonly Column<Row>[], rows: readonly Row[]): Promise<void> {
  const { header, lines, leftOut } = renderTable(columns, rows, outputWidth());
  await writeData(`${[styled("bold", header, process.stdout), ...lines].join("\n")}\n`);
  noteLeftOut(leftOut);
}

/** Names the columns that did not fit. */
export function noteLeftOut(titles: readonly string[]): void {
  if (titles.length > 0) note(`Too narrow for ${titles.join(", ")}; --json shows everything.`);
}
