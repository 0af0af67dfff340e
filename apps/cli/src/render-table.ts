import { cutText, textWidth } from "./text-width.ts";

export interface Column<Row> {
  readonly title: string;
  /** What the column shows of a row; must be safe for a terminal. */
  readonly cell: (row: Row) => string;
  readonly align?: "right";
  /** May be cut down to this many columns of the terminal; without it the column is always whole. */
  readonly leastWidth?: number;
  /** Is never cut, and may be left out once all are that may be cut. */
  readonly mayGo?: true;
}

export interface Table {
  readonly header: string;
  readonly lines: readonly string[];
  /** Titles of the columns for which there was no room. */
  readonly leftOut: readonly string[];
}

interface Measured<Row> {
  readonly column: Column<Row>;
  readonly cells: readonly string[];
  width: number;
}

const GAP = 2;

/**
 * Lays rows out in at most `most` columns of a terminal: long texts are cut, and where that is not enough, columns that
 * may be cut are left out, the last first, and then those that may go. Columns that say nothing are not shown.
 */
export function renderTable<Row>(columns: readonly Column<Row>[], rows: readonly Row[], most: number): Table {
  const measured = columns.map((column) => measure(column, rows)).filter(({ cells }) => cells.some((cell) => cell !== ""));
  const shown = chooseColumns(measured, most);
  shrink(shown, most);
  return {
    header: line(shown, ({ column }) => column.title),
    lines: rows.map((_row, index) => line(shown, ({ cells }) => cells[index] ?? "")),
    leftOut: measured.filter((each) => !shown.includes(each)).map(({ column }) => column.title),
  };
}

function measure<Row>(column: Column<Row>, rows: readonly Row[]): Measured<Row> {
  const cells = rows.map((row) => column.cell(row));
  return { column, cells, width: Math.max(...[column.title, ...cells].map(textWidth)) };
}

function chooseColumns<Row>(columns: readonly Measured<Row>[], most: number): readonly Measured<Row>[] {
  const shown = [...columns];
  const least = ({ column, width }: Measured<Row>): number => Math.min(width, column.leastWidth ?? width);
  while (total(shown, least) > most) {
    const cut = shown.findLastIndex(({ column }) => column.leastWidth !== undefined);
    const last = cut < 0 ? shown.findLastIndex(({ column }) => column.mayGo === true) : cut;
    if (last < 0) break;
    shown.splice(last, 1);
  }
  return shown;
}

/** Takes from the widest first, so that short columns stay whole. */
function shrink<Row>(columns: readonly Measured<Row>[], most: number): void {
  const widest = (): Measured<Row> | undefined =>
    columns
      .filter(({ column, width }) => column.leastWidth !== undefined && width > column.leastWidth)
      .reduce<Measured<Row> | undefined>((found, each) => (found === undefined || each.width > found.width ? each : found), undefined);
  for (let next = widest(); next !== undefined && total(columns, ({ width }) => width) > most; next = widest()) next.width -= 1;
}

function total<Row>(columns: readonly Measured<Row>[], width: (column: Measured<Row>) => number): number {
  return columns.reduce((sum, column) => sum + width(column), 0) + GAP * Math.max(0, columns.length - 1);
}

function line<Row>(columns: readonly Measured<Row>[], text: (column: Measured<Row>) => string): string {
  return columns
    .map((column) => pad(cutText(text(column), column.width), column))
    .join(" ".repeat(GAP))
    .trimEnd();
}

function pad<Row>(text: string, { column, width }: Measured<Row>): string {
  const space = " ".repeat(width - textWidth(text));
  return column.align === "right" ? space + text : text + space;
}
