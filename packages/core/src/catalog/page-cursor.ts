import { invalidInput, type WorkrailError } from "../errors.ts";
import type { PageCursor } from "../model/ids.ts";

/** Makes the cursor of a page that ends at a sequence or commit. */
export function placeCursor(place: number): PageCursor {
  return String(place) as PageCursor;
}

/** @throws INVALID_INPUT when the text is not such a cursor. */
export function parsePlaceCursor(text: PageCursor): number {
  if (/^\d{1,15}$/.test(text)) return Number(text);
  throw noCursor();
}

/** Makes the cursor of a page that ends at a time, then an id. */
export function timedCursor(at: Date, id: string): PageCursor {
  return `${at.getTime()} ${id}` as PageCursor;
}

/** @throws INVALID_INPUT when the text is not such a cursor. */
export function parseTimedCursor(text: PageCursor): readonly [at: Date, id: string] {
  const [, time, id] = /^(\d{1,15}) (.+)$/u.exec(text) ?? [];
  if (time === undefined || id === undefined) throw noCursor();
  return [new Date(Number(time)), id];
}

function noCursor(): WorkrailError {
  return invalidInput("after", "after must be the cursor of an earlier page.", "Leave it out to begin with the first.");
}
