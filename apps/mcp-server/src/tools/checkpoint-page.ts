import type { ProjectCheckpoint, Workrail } from "@workrail/runtime";
import { LENGTHS, toWire, type WireCheckpoint } from "./checkpoint-fields.ts";

type Piece = string | readonly [key: string, value: unknown];

/** Length of the pieces of a description, in characters; shorter when such a piece does not fit. */
const PIECE = 500;

export type Page = WireCheckpoint & {
  readonly next_offset?: number;
  /** How to get data that no page contains. */
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

interface Rest {
  /** Position in the sequence of the description's characters, then the context's pairs. */
  readonly offset: number;
  /** Other fields of the answer. */
  readonly more: object;
}

/** Returns as much of a checkpoint as fits an answer beside `more`. */
export async function pageOf(workrail: Workrail, read: ProjectCheckpoint, { offset = 0, more = {} }: Partial<Rest> = {}): Promise<Page> {
  const { frame, page, isLast } = await fitPieces(workrail, read, { offset, more });
  const text = page.filter((piece) => typeof piece === "string").join("");
  const shown = page.filter((piece) => typeof piece !== "string");
  // Skips a pair that fits no answer, so that the next page continues after it.
  const passed = page.length === 0 && !isLast ? 1 : text.length + shown.length;
  const isCut = read.isCut === true || text.length < read.description.length;
  const isContextCut = read.isContextCut === true || shown.length < Object.keys(read.context).length;
  const isBeyondPages =
    read.isCut ?? read.isContextCut ?? frame.tags_truncated ?? frame.summary_truncated ?? (page.length === 0 && !isLast);
  return {
    ...frame,
    description: text,
    context: Object.fromEntries(shown) as ProjectCheckpoint["context"],
    ...(isCut ? { description_truncated: true as const } : {}),
    ...(isContextCut ? { context_truncated: true as const } : {}),
    ...(isLast ? {} : { next_offset: offset + passed }),
    ...(isBeyondPages ? { how: howToGet(read.id) } : {}),
  };
}

async function fitPieces(workrail: Workrail, read: ProjectCheckpoint, { offset, more }: Rest): Promise<Fitted> {
  const { description, context } = read;
  const pairs = Object.entries(context).slice(Math.max(0, offset - description.length));
  const told = { description_truncated: true, context_truncated: true, next_offset: offset, how: howToGet(read.id) };
  for (const most of LENGTHS) {
    const frame = toWire({ ...read, description: "", context: {} }, most);
    const pieces: Piece[] = [...piecesOf(description, offset, Math.max(1, Math.min(PIECE, most))), ...pairs];
    const items = pieces.map((piece) => ({ piece }));
    const fitted = await workrail.fitAnswer<object>({ ...more, ...frame, ...told }, [...items, END]);
    if (fitted.length > 0) return { frame, page: pieces.slice(0, fitted.length), isLast: fitted.length > pieces.length };
  }
  return { frame: toWire({ ...read, description: "", context: {} }, 0), page: [], isLast: false };
}

function howToGet(id: string): string {
  return `For the rest call workflow_checkpoint_load with checkpointId ${id}.`;
}

/** Never splits a surrogate pair. */
function piecesOf(text: string, offset: number, length: number): string[] {
  return text.slice(offset).match(new RegExp(`[^]{1,${length}}`, "gu")) ?? [];
}
