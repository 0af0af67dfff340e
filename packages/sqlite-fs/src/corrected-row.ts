import { BEGIN, markOf, step, stepBack, type Summed, type Unsummed } from "./row-checksum.ts";

/**
 * The row as it was written, if what was read differs from it in one bit: the only row that differs so and has the checksum. `undefined` where none
 * has it, or several have.
 *
 * Each step of the checksum can be undone. So what the sum was before a unit is known from the front, what it was after it from the back, and both tell
 * which unit was there: one walk, however long the row. Of rows with more damage some are taken for others that were never written, one of a hundred at worst, for the lower
 * bits of a sum tell nothing of the higher bits of units. Whoever uses one must have more to prove it by.
 */
export function correctedRow<Row extends { readonly checksum: number }>(
  row: Row,
  columns: readonly (keyof Unsummed<Row> & string)[],
): Row | undefined {
  const values: readonly unknown[] = columns.map((column) => row[column]);
  if (!areSummed(values)) return undefined;
  const starts = [BEGIN];
  for (const value of values) starts.push(unitsOf(value).reduce(step, starts.at(-1) as number));
  const sum = (starts.at(-1) as number) >>> 0;
  const found: Row[] = isOneBit(sum ^ row.checksum) ? [{ ...row, checksum: sum }] : [];
  let end = row.checksum | 0;
  for (const [index, value] of [...values.entries()].toReversed()) {
    const column = columns[index] as string;
    found.push(...valuesBetween(starts[index] as number, value, end).map((fitting) => ({ ...row, [column]: fitting })));
    end = unitsOf(value).reduceRight(stepBack, end);
  }
  return found.length === 1 ? found[0] : undefined;
}

/** Texts of which one may have been what is read now, were a bit flipped in it since. */
export function* textsBefore(text: string): Iterable<string> {
  for (let index = 0; index < text.length; index++) {
    const read = text.charCodeAt(index);
    for (let unit = 0; unit < ASCII_END; unit++) if (isFlipped(unit, read)) yield withUnit(text, index, unit);
  }
}

/** Values that differ in one bit from the one that is read, and lead from the sum before it to the sum after it. */
function valuesBetween(start: number, value: Summed, end: number): readonly Summed[] {
  if (typeof value === "string") return textsBetween(start, value, end);
  return typeof value === "number" ? numbersBetween(start, value, end) : [];
}

function textsBetween(start: number, text: string, end: number): readonly string[] {
  const found: string[] = [];
  const units = unitsOf(text);
  const before = [start];
  for (const unit of units) before.push(step(before.at(-1) as number, unit));
  let after = end;
  // The first is no unit of the text, but the mark for its kind.
  for (let index = units.length - 1; index > 0; index--) {
    const read = units[index] as number;
    const unit = stepBack(after, before[index] as number);
    if (isFlipped(unit, read)) found.push(withUnit(text, index - 1, unit));
    after = stepBack(after, read);
  }
  return found;
}

/** Which bits an integer has in the database depends on its size: each is tried both ways. */
function numbersBetween(start: number, value: number, end: number): readonly number[] {
  const others = Array.from({ length: 53 }, (_, bit) => [value + 2 ** bit, value - 2 ** bit]).flat();
  return others.filter((other) => Number.isSafeInteger(other) && unitsOf(other).reduce(step, start) === end);
}

/** As the checksum takes them. */
function unitsOf(value: Summed): readonly number[] {
  const text = value === null ? "" : String(value);
  return [markOf(value), ...Array.from({ length: text.length }, (_, index) => text.charCodeAt(index))];
}

function withUnit(text: string, index: number, unit: number): string {
  return text.slice(0, index) + String.fromCharCode(unit) + text.slice(index + 1);
}

const ASCII_END = 0x80;
/** What is read where bytes are no UTF-8, as one of a plain text is not once its highest bit is set. */
const REPLACEMENT = 0xff_fd;

/** Whether one bit may have made of a unit what is read. */
function isFlipped(unit: number, read: number): boolean {
  if (unit < 0 || unit > 0xff_ff) return false;
  return read === REPLACEMENT ? unit < ASCII_END : isOneBit(unit ^ read);
}

function isOneBit(bits: number): boolean {
  return bits !== 0 && (bits & (bits - 1)) === 0;
}

/** A flipped bit may also have made bytes of a text. */
function areSummed(values: readonly unknown[]): values is readonly Summed[] {
  return values.every((value) => value === null || typeof value === "string" || typeof value === "number");
}
