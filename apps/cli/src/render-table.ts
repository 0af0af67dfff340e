import { cutStart, cutText, textWidth } from "./text-width.ts";

export interface Column<Row> {
  readonly title: string;
  /** The text of a row in this column; must be safe for a terminal. */
  readonly cell: (row: Row) => string;
  readonly align?: "right";
  /** May be cut down to this many columns of the terminal; without it the column is always whole. */
  readonly leastWidth?: number;
  /** Is cut before the other columns are: ids and names of sessions. */
  readonly cutFirst?: true;
  /** Is cut at its beginning: a path. */
  readonly keepsEnd?: true;
  /** Is never left out, and cut last. */
  readonly stays?: true;
}

export interface Table {
  readonly header: string;
  readonly lines: readonly string[];
  /** The lines of each row. */
  readonly blocks: readonly (readonly string[])[];
  /** Titles of the columns for which there was no room. */
  readonly leftOut: readonly string[];
}

interface Measured<Row> {
  readonly column: Column<Row>;
  readonly cells: readonly string[];
  width: number;
}

const GAP = 2;

/** On a terminal narrower than this each row takes several lines. */
const NARROW = 60;

/**
 * Lays rows out in at most `most` columns of a terminal. Ids and names of sessions are cut first, then the widest of the other texts.
 * Where that is not enough, columns are left out, the last first, but never those that stay. A narrow terminal shows each row as a few lines, and leaves out nothing.
 * A column without any text is shown only if it stays.
 */
export function renderTable<Row>(columns: readonly Column<Row>[], rows: readonly Row[], most: number): Table {
  const measured = columns
    .map((column) => measure(column, rows))
    .filter(({ column, cells }) => column.stays === true || cells.some((cell) => cell !== ""));
  if (most < NARROW && total(measured, leastWidth) > most) return stack(measured, rows.length, most);
  const shown = chooseColumns(measured, most);
  shrink(shown, most);
  const lines = rows.map((_row, index) => line(shown, ({ cells }) => cells[index] ?? ""));
  return {
    header: line(shown, ({ column }) => column.title),
    lines,
    blocks: lines.map((each) => [each]),
    leftOut: measured.filter((each) => !shown.includes(each)).map(({ column }) => column.title),
  };
}

function measure<Row>(column: Column<Row>, rows: readonly Row[]): Measured<Row> {
  const cells = rows.map((row) => column.cell(row));
  return { column, cells, width: cells.reduce((widest, cell) => Math.max(widest, textWidth(cell)), textWidth(column.title)) };
}

function naturalWidth<Row>({ width }: Measured<Row>): number {
  return width;
}

function leastWidth<Row>({ column, width }: Measured<Row>): number {
  return Math.min(width, column.leastWidth ?? width);
}

function chooseColumns<Row>(columns: readonly Measured<Row>[], most: number): readonly Measured<Row>[] {
  const shown = [...columns];
  while (total(shown, leastWidth) > most) {
    const last = shown.findLastIndex(({ column }) => column.stays !== true);
    if (last < 0) break;
    shown.splice(last, 1);
  }
  return shown;
}

function shrink<Row>(columns: readonly Measured<Row>[], most: number): void {
  const first = columns.filter(({ column }) => column.cutFirst === true);
  const mayGo = columns.filter(({ column }) => column.stays !== true);
  for (const group of [first, mayGo, columns]) {
    for (let over = total(columns, naturalWidth) - most; over > 0; over -= 1) {
      const widest = widestOf(group.filter((each) => each.width > leastWidth(each)));
      if (widest === undefined) break;
      widest.width -= 1;
    }
  }
}

/** Short columns stay whole as long as there are longer ones. */
function widestOf<Row>(columns: readonly Measured<Row>[]): Measured<Row> | undefined {
  return columns.reduce<Measured<Row> | undefined>(
    (found, each) => (found === undefined || each.width > found.width ? each : found),
    undefined,
  );
}

/** The columns that lead, in one line, and below it a line for each other text of the row. */
function stack<Row>(columns: readonly Measured<Row>[], rowCount: number, most: number): Table {
  const [first, ...others] = columns;
  if (first === undefined) return { header: "", lines: [], blocks: [], leftOut: [] };
  const leading = [first];
  for (const each of others.filter(({ column }) => column.leastWidth === undefined)) {
    if (total([...leading, each], leastWidth) <= most) leading.push(each);
  }
  shrink(leading, most);
  const below = others.filter((each) => !leading.includes(each));
  const label = Math.max(0, ...below.map(({ column }) => textWidth(column.title)));
  const textsOf = (index: number): readonly string[] =>
    below
      .filter(({ cells }) => cells[index] !== "")
      .map(({ column, cells }) => `  ${column.title.padEnd(label)}  ${cut(column, cells[index] ?? "", most - label - 2 * GAP)}`);
  const blocks = Array.from({ length: rowCount }, (_, index) => [line(leading, ({ cells }) => cells[index] ?? ""), ...textsOf(index)]);
  return { header: line(leading, ({ column }) => column.title), lines: blocks.flat(), blocks, leftOut: [] };
}

function total<Row>(columns: readonly Measured<Row>[], width: (column: Measured<Row>) => number): number {
  return columns.reduce((sum, column) => sum + width(column), 0) + GAP * Math.max(0, columns.length - 1);
}

function line<Row>(columns: readonly Measured<Row>[], text: (column: Measured<Row>) => string): string {
  return columns
    .map((measured) => pad(cut(measured.column, text(measured), measured.width), measured))
    .join(" ".repeat(GAP))
    .trimEnd();
}

function cut<Row>({ keepsEnd }: Column<Row>, text: string, most: number): string {
  return keepsEnd === true ? cutStart(text, most) : cutText(text, most);
}

function pad<Row>(text: string, { column, width }: Measured<Row>): string {
  const space = " ".repeat(Math.max(0, width - textWidth(text)));
  return column.align === "right" ? space + text : text + space;
}
