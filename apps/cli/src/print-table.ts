import { note, outputWidth, styled, writeData } from "./print.ts";
import { type Column, renderTable } from "./render-table.ts";

/** Prints rows as a table that fits the terminal, and says which columns found no room. */
export async function printTable<Row>(columns: readonly Column<Row>[], rows: readonly Row[]): Promise<void> {
  const { header, lines, leftOut } = renderTable(columns, rows, outputWidth());
  await writeData(`${[styled("bold", header, process.stdout), ...lines].join("\n")}\n`);
  if (leftOut.length > 0) note(`Too narrow for ${leftOut.join(", ")}; --json shows everything.`);
}
