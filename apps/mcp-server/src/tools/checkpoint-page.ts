import type { ProjectCheckpoint, Workrail } from "@workrail/runtime";
import { toWire, type WireCheckpoint } from "./checkpoint-fields.ts";

type Piece = string | readonly [key: string, value: unknown];

/** A description is put together again of pieces this long, in characters. */
const PIECE = 500;

/**
 * As much of a checkpoint as fits an answer beside `more`.
 *
 * @param offset counts the characters of the description, and after them the pairs of the context.
 */
export async function pageOf(
  workrail: Workrail,
  read: ProjectCheckpoint,
  { offset = 0, more = {} }: { readonly offset?: number; readonly more?: object } = {},
): Promise<WireCheckpoint & { next_offset?: number }> {
  const { description, context } = read;
  const pairs = Object.entries(context);
  const pieces: Piece[] = [...piecesOf(description, offset), ...pairs.slice(Math.max(0, offset - description.length))];
  const frame = toWire({ ...read, description: "", context: {} });
  const fitted = await workrail.fitAnswer(
    { ...more, ...frame, description_truncated: true, context_truncated: true, next_offset: offset },
    pieces.map((piece) => ({ piece })),
  );
  const page = fitted.map(({ piece }) => piece);
  const text = page.filter((piece) => typeof piece === "string").join("");
  const shown = page.filter((piece) => typeof piece !== "string");
  const next = offset + text.length + shown.length;
  return {
    ...frame,
    description: text,
    context: Object.fromEntries(shown) as ProjectCheckpoint["context"],
    ...(read.isCut === true || text.length < description.length ? { description_truncated: true as const } : {}),
    ...(shown.length < pairs.length ? { context_truncated: true as const } : {}),
    ...(fitted.length < pieces.length ? { next_offset: next } : {}),
  };
}

/** A surrogate pair is never torn apart. */
function piecesOf(text: string, offset: number): string[] {
  return text.slice(offset).match(new RegExp(`[^]{1,${PIECE}}`, "gu")) ?? [];
}
