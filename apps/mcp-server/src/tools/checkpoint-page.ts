import type { ProjectCheckpoint, Workrail } from "@workrail/runtime";
import { LENGTHS, toWire, type WireCheckpoint } from "./checkpoint-fields.ts";

type Piece = string | readonly [key: string, value: unknown];

/** Length of the pieces of a description, in characters; shorter when such a piece does not fit. */
const PIECE = 500;

export type Page = WireCheckpoint & {
  readonly next_offset?: number;
  /** The way to data that no page contains. */
  readonly how?: string;
};

/** Marks the end of the pieces: if it fits, all of them fit. It is not part of the answer. */
const END = {};

/** Fields of a checkpoint, and the pieces that fit beside them. */
interface Fitted {
  readonly frame: WireCheckpoint;
  readonly page: readonly Piece[];
  readonly isLast: boolean;
}

interface PageOptions {
  /** Position in the sequence of the description's characters, then the context's pairs. */
  readonly offset: number;
  /** Other fields of the answer. */
  readonly more: object;
}

/** Returns as much of a checkpoint as fits an answer beside `more`. */
export async function pageOf(
  workrail: Workrail,
  checkpoint: ProjectCheckpoint,
  { offset = 0, more = {} }: Partial<PageOptions> = {},
): Promise<Page> {
  const { frame, page, isLast } = await fitPieces(workrail, checkpoint, { offset, more });
  const text = page.filter((piece) => typeof piece === "string").join("");
  const shown = page.filter((piece) => typeof piece !== "string");
  // Skips a pair that fits no answer, so that the next page continues after it.
  const advance = page.length === 0 && !isLast ? 1 : text.length + shown.length;
  const isCut = checkpoint.isCut === true || text.length < checkpoint.description.length;
  const isContextCut = checkpoint.isContextCut === true || shown.length < Object.keys(checkpoint.context).length;
  // Cut data that no page contains: another tool has to load it.
  const isBeyondPages =
    checkpoint.isCut ?? checkpoint.isContextCut ?? frame.tags_truncated ?? frame.summary_truncated ?? (page.length === 0 && !isLast);
  return {
    ...frame,
    description: text,
    context: Object.fromEntries(shown) as ProjectCheckpoint["context"],
    ...(isCut ? { description_truncated: true as const } : {}),
    ...(isContextCut ? { context_truncated: true as const } : {}),
    ...(isLast ? {} : { next_offset: offset + advance }),
    ...(isBeyondPages ? { how: howToGet(checkpoint.id) } : {}),
  };
}

async function fitPieces(workrail: Workrail, checkpoint: ProjectCheckpoint, { offset, more }: PageOptions): Promise<Fitted> {
  const { description, context } = checkpoint;
  const pairs = Object.entries(context).slice(Math.max(0, offset - description.length));
  // Fields that the page may have in addition, so that they fit as well.
  const reserved = { description_truncated: true, context_truncated: true, next_offset: offset, how: howToGet(checkpoint.id) };
  for (const most of LENGTHS) {
    const frame = toWire({ ...checkpoint, description: "", context: {} }, most);
    const pieces: Piece[] = [...piecesOf(description, offset, Math.max(1, Math.min(PIECE, most))), ...pairs];
    const items = pieces.map((piece) => ({ piece }));
    const fitted = await workrail.fitAnswer<object>({ ...more, ...frame, ...reserved }, [...items, END]);
    if (fitted.length > 0) return { frame, page: pieces.slice(0, fitted.length), isLast: fitted.length > pieces.length };
  }
  return { frame: toWire({ ...checkpoint, description: "", context: {} }, 0), page: [], isLast: false };
}

function howToGet(id: string): string {
  return `For the rest call workflow_checkpoint_load with checkpointId ${id}.`;
}

/** Never splits a surrogate pair. */
function piecesOf(text: string, offset: number, length: number): string[] {
  return text.slice(offset).match(new RegExp(`[^]{1,${length}}`, "gu")) ?? [];
}
