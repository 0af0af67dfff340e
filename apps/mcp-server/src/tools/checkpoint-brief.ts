import { cutToTokens } from "@workrail/core";
import type { ProjectCheckpoint, Workrail } from "@workrail/runtime";
import * as z from "zod";
import { isGenerated } from "./fields.ts";
import { checkpointShape, firstTags, type WireCheckpoint } from "./checkpoint-fields.ts";

/** A checkpoint in a list: all fields except the description, the larger ones if there is room. */
const { description: _elsewhere, ...shape } = checkpointShape;

export const briefCheckpoint = z.looseObject({
  ...shape,
  context: checkpointShape.context.optional(),
  tags: checkpointShape.tags.optional(),
  token_count: checkpointShape.token_count.optional(),
  updated_at: checkpointShape.updated_at.optional(),
  description_truncated: z.literal(true).optional(),
});

/** Approximate size of each item in an answer. */
export interface ItemSize {
  /** Tokens of the summary. */
  readonly summary: number;
  /** Tokens of the snippet. */
  readonly snippet: number;
  /** Tokens of the query. */
  readonly query: number;
  /** Characters of the tags, as JSON. */
  readonly tags: number;
  /** Characters of the context, as JSON. */
  readonly context: number;
}

const WHOLE = { summary: 600, snippet: 80, query: 600, tags: 2_000, context: 400 };

/** From the longest to the shortest. */
const BREVITIES: readonly ItemSize[] = [
  WHOLE,
  { ...WHOLE, summary: 70, query: 150, tags: 200, context: 200 },
  { ...WHOLE, summary: 50, query: 60, tags: 120, context: 100 },
  { ...WHOLE, summary: 36, query: 40, tags: 80, context: 0 },
  { ...WHOLE, summary: 28, query: 30, tags: 60, context: 0 },
  { ...WHOLE, summary: 22, query: 24, tags: 40, context: 0 },
  { ...WHOLE, context: 0, summary: 18, snippet: 54, query: 20, tags: 24 },
  { ...WHOLE, context: 0, tags: 0, summary: 15, snippet: 52, query: 16 },
  { ...WHOLE, context: 0, tags: 0, summary: 12, snippet: 50, query: 12 },
  { ...WHOLE, context: 0, tags: 0, summary: 10, snippet: 48, query: 10 },
  { ...WHOLE, context: 0, tags: 0, summary: 8, snippet: 44, query: 8 },
  { ...WHOLE, context: 0, tags: 0, summary: 8, snippet: 36, query: 8 },
  { ...WHOLE, context: 0, tags: 0, summary: 7, snippet: 24, query: 8 },
  { ...WHOLE, context: 0, tags: 0, summary: 6, snippet: 12, query: 6 },
  { ...WHOLE, context: 0, tags: 0, summary: 1, snippet: 1, query: 1 },
];

/** Token budget of an answer with up to five items, and of each further item. */
const OF_FIVE = 790;
const OF_EACH = 150;
const FIVE = 5;

export interface Fitting<From, To> {
  readonly itemOf: (each: From, brevity: ItemSize) => To;
  /** Builds the whole answer with these items. */
  readonly answerOf: (items: readonly To[], brevity: ItemSize) => object;
}

/**
 * Fits items into an answer of affordable size: the budget grows with their number, and all are shortened alike. If even the shortest items
 * exceed the limit of every answer, returns the first of them, and at least one.
 */
export async function fitBriefly<From, To extends object>(
  workrail: Workrail,
  all: readonly From[],
  { itemOf, answerOf }: Fitting<From, To>,
): Promise<{ readonly items: readonly To[]; readonly brevity: ItemSize }> {
  const most = OF_FIVE + OF_EACH * Math.max(0, all.length - FIVE);
  let brevity = WHOLE as ItemSize;
  for (brevity of BREVITIES) {
    const items = all.map((each) => itemOf(each, brevity));
    const answer = answerOf(items, brevity);
    if ((await workrail.tokensOf(answer)) > most) continue;
    // An additional empty item fits only if the whole answer does.
    if ((await workrail.fitAnswer<object>(answerOf([], brevity), [...items, {}])).length > items.length) return { items, brevity };
  }
  const items = all.map((each) => itemOf(each, brevity));
  const fitted = await workrail.fitAnswer(answerOf([], brevity), items);
  return { items: fitted.length > 0 ? fitted : items.slice(0, 1), brevity };
}

/**
 * Returns a checkpoint without its description. One flag tells that there is more: a flag for each field would cost more than the fields.
 *
 * @param isDetailed with its figures, and the generated id of its session.
 */
export function toBrief(
  read: ProjectCheckpoint,
  brevity: ItemSize,
  isDetailed: boolean,
): Partial<WireCheckpoint> & Pick<WireCheckpoint, "id"> {
  const { id, projectPath, tokenCount, createdAt, updatedAt, kind, damaged } = read;
  const summary = cutToTokens(read.summary, brevity.summary);
  const tags = firstTags(read.tags, brevity.tags);
  const context = isDetailed || kind === undefined ? read.context : withoutGeneratedId(read.context);
  const hasContext = read.isContextCut !== true && JSON.stringify(context).length <= Math.max(brevity.context, 2);
  return {
    id,
    summary: summary.length < read.summary.length ? `${summary.trimEnd()}…` : summary,
    project_path: projectPath,
    ...(hasContext && Object.keys(context).length > 0 ? { context } : {}),
    ...(tags.length === 0 ? {} : { tags }),
    ...(isDetailed ? { token_count: tokenCount } : {}),
    created_at: createdAt,
    ...(isDetailed ? { updated_at: updatedAt } : {}),
    ...(kind === undefined ? {} : { kind }),
    ...moreOf(read, { hasContext, isSummaryCut: summary.length < read.summary.length, isTagsCut: tags.length < read.tags.length }),
    ...(damaged === undefined ? {} : { damaged }),
  };
}

function withoutGeneratedId({ sessionId, ...context }: ProjectCheckpoint["context"]): ProjectCheckpoint["context"] {
  return sessionId === undefined || isGenerated(sessionId) ? context : { sessionId, ...context };
}

interface Missing {
  readonly hasContext: boolean;
  readonly isSummaryCut: boolean;
  readonly isTagsCut: boolean;
}

function moreOf({ description }: ProjectCheckpoint, { hasContext, isSummaryCut, isTagsCut }: Missing): Partial<WireCheckpoint> {
  if (description !== "") return { description_truncated: true };
  if (!hasContext) return { context_truncated: true };
  if (isTagsCut) return { tags_truncated: true };
  return isSummaryCut ? { summary_truncated: true } : {};
}
