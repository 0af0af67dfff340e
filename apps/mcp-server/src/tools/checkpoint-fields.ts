import type { ProjectCheckpoint, Standing } from "@workrail/runtime";
import * as z from "zod";
import { jsonObject, unlisted } from "../tool.ts";
import { time } from "./fields.ts";

/** Fields of a checkpoint shared by the contextd tools, cut to fit an answer. */

export const checkpointShape = {
  id: z.string().describe("Its id"),
  summary: z.string().describe("Completed work"),
  description: z.string().describe("Details"),
  project_path: z.string().describe("Its project"),
  context: jsonObject().describe("Metadata"),
  tags: z.array(z.string()).describe("Its tags"),
  token_count: z.number().describe("Tokens of the whole content"),
  created_at: time.describe("When saved"),
  updated_at: time.describe("The same"),
  kind: unlisted(z.enum(["workflow", "conversation", "aside"]).optional()),
  description_truncated: unlisted(z.literal(true).optional()),
  context_truncated: unlisted(z.literal(true).optional()),
  tags_truncated: unlisted(z.literal(true).optional()),
  summary_truncated: unlisted(z.literal(true).optional()),
  damaged: unlisted(z.literal(true).optional()),
} satisfies z.ZodRawShape;

const checkpoint = z.looseObject(checkpointShape);

export type WireCheckpoint = z.output<typeof checkpoint>;

/** Present only while the disk fails. */
export const degradation = {
  degraded: unlisted(z.literal(true).optional()),
  degraded_reason: unlisted(z.string().optional()),
} satisfies z.ZodRawShape;

/** Lengths to which a text is cut, in characters: whole first, then halves, until the answer fits. */
export const LENGTHS: readonly number[] = [Number.POSITIVE_INFINITY, 5_000, 2_500, 1_250, 625, 312, 156, 78, 39, 19, 9, 4, 2, 1, 0];

/** With several checkpoints, texts are not cut below this; fewer checkpoints are returned instead. */
const SHORTEST = 156;

/** @param most characters of the description, of the context and of the tags; of the summary only below `SHORTEST`. */
export function toWire(read: ProjectCheckpoint, most: number = Number.POSITIVE_INFINITY): WireCheckpoint {
  const { id, projectPath, tokenCount, createdAt, updatedAt, kind, isCut, isContextCut, damaged } = read;
  const summary = cutLast(read.summary, most);
  const description = cut(read.description, most);
  const context = firstPairs(read.context, most);
  const tags = firstTags(read.tags, most);
  return {
    id,
    summary,
    description,
    project_path: projectPath,
    context,
    tags,
    token_count: tokenCount,
    created_at: createdAt,
    updated_at: updatedAt,
    ...(kind === undefined ? {} : { kind }),
    ...(isCut === true || description.length < read.description.length ? { description_truncated: true as const } : {}),
    ...(isContextCut === true || Object.keys(context).length < Object.keys(read.context).length
      ? { context_truncated: true as const }
      : {}),
    ...(tags.length < read.tags.length ? { tags_truncated: true as const } : {}),
    ...(summary.length < read.summary.length ? { summary_truncated: true as const } : {}),
    ...(damaged === undefined ? {} : { damaged }),
  };
}

export function degradationOf({ degraded, degradedReason }: Standing): { degraded?: true; degraded_reason?: string } {
  return {
    ...(degraded === undefined ? {} : { degraded }),
    ...(degradedReason === undefined ? {} : { degraded_reason: degradedReason }),
  };
}

/** Cuts at a character boundary. */
function cut(text: string, most: number): string {
  return text.length <= most ? text : text.slice(0, most).replace(/[\uD800-\uDBFF]$/u, "");
}

/** Cuts the summary only when nothing else is left to shorten: it identifies the checkpoint. */
function cutLast(text: string, most: number): string {
  return most < SHORTEST ? cut(text, most) : text;
}

export function firstTags(tags: readonly string[], most: number): string[] {
  let left = most;
  return tags.filter((tag) => (left -= JSON.stringify(tag).length) >= 0);
}

function firstPairs(context: ProjectCheckpoint["context"], most: number): ProjectCheckpoint["context"] {
  let left = most;
  const fitting = Object.entries(context).filter(([key, value]) => (left -= JSON.stringify({ [key]: value }).length) >= 0);
  return Object.fromEntries(fitting);
}
