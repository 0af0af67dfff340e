import { BEGIN, markOf, step, subtractUnit, type Summed, type Unsummed } from "./row-checksum.ts";

/**
 * Corrects a row that differs from the written row in one bit: returns the only row that differs in one bit and has the checksum.
 * `undefined` when no row or more than one row has it.
 *
 * Each step of the checksum can be undone. The sum before a unit is computed from the front, the sum after it from the back, and
 * both give the unit that was there: one pass, however long the row. A row with more damage may be corrected to a row that was never
 * written, in one case of a hundred at worst, because the lower bits of a sum do not depend on the higher bits of the units. The
 * caller needs further proof.
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
    end = unitsOf(value).reduceRight(subtractUnit, end);
  }
  return found.length === 1 ? found[0] : undefined;
}

/** Texts that one flipped bit turns into the given text. */
export function* textsBefore(text: string): Iterable<string> {
  for (let index = 0; index < text.length; index++) {
    const read = text.charCodeAt(index);
    for (let unit = 0; unit < ASCII_END; unit++) if (isFlipped(unit, read)) yield withUnit(text, index, unit);
  }
}

/** Values that differ in one bit from the given one and lead from the sum before it to the sum after it. */
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
  // The first unit is the mark for the kind of the value, not a unit of the text.
  for (let index = units.length - 1; index > 0; index--) {
    const read = units[index] as number;
    const unit = subtractUnit(after, before[index] as number);
    if (isFlipped(unit, read)) found.push(withUnit(text, index - 1, unit));
    after = subtractUnit(after, read);
  }
  return found;
}

/** The stored width of an integer depends on its size, so each bit is tried both ways. */
function numbersBetween(start: number, value: number, end: number): readonly number[] {
  const others = Array.from({ length: 53 }, (_, bit) => [value + 2 ** bit, value - 2 ** bit]).flat();
  return others.filter((other) => Number.isSafeInteger(other) && unitsOf(other).reduce(step, start) === end);
}

/** Units of a value in the order of the checksum. */
function unitsOf(value: Summed): readonly number[] {
  const text = value === null ? "" : String(value);
  return [markOf(value), ...Array.from({ length: text.length }, (_, index) => text.charCodeAt(index))];
}

function withUnit(text: string, index: number, unit: number): string {
  return text.slice(0, index) + String.fromCharCode(unit) + text.slice(index + 1);
}

const ASCII_END = 0x80;
/** Character that is read for bytes that are not UTF-8, such as an ASCII byte whose highest bit was set. */
const REPLACEMENT = 0xff_fd;

/** True when one flipped bit may have turned the unit into the one that is read. */
function isFlipped(unit: number, read: number): boolean {
  if (unit < 0 || unit > 0xff_ff) return false;
  return read === REPLACEMENT ? unit < ASCII_END : isOneBit(unit ^ read);
}

function isOneBit(bits: number): boolean {
  return bits !== 0 && (bits & (bits - 1)) === 0;
}

/** True when all values have kinds that the checksum covers. A flipped bit may also have turned a text into bytes. */
function areSummed(values: readonly unknown[]): values is readonly Summed[] {
  return values.every((value) => value === null || typeof value === "string" || typeof value === "number");
}
