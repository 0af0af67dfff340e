import type { ProjectCheckpoint, Standing, Workrail } from "@workrail/runtime";
import * as z from "zod";
import { jsonObject } from "../tool.ts";
import { time } from "./fields.ts";

/** What the contextd tools share: a checkpoint in their words, as much of it as fits an answer. */

export const checkpointShape = {
  id: z.string().describe("For checkpoint_get, checkpoint_delete and workflow_checkpoint_load"),
  summary: z.string().describe("What was done"),
  description: z.string().describe("Details; empty for none"),
  project_path: z.string().describe("Its project; empty for none"),
  context: jsonObject().describe("Metadata, as it was given"),
  tags: z.array(z.string()).describe("Its tags"),
  token_count: z.number().describe("Tokens of all of it"),
  created_at: time.describe("When it was saved"),
  updated_at: time.describe("The same: it never changes"),
  kind: z.enum(["workflow", "conversation", "aside"]).optional().describe("Which tools made it, if not checkpoint_save"),
  description_truncated: z.literal(true).optional().describe("There is more: see checkpoint_get"),
  context_truncated: z.literal(true).optional().describe("There is more: see checkpoint_get"),
  damaged: z.literal(true).optional().describe("Its file cannot be read"),
} satisfies z.ZodRawShape;

export const checkpoint = z.looseObject(checkpointShape);

export type WireCheckpoint = z.output<typeof checkpoint>;

/** Only while something is wrong with the disk. */
export const degradation = {
  degraded: z.literal(true).optional().describe("The disk cannot be written to"),
  degraded_reason: z.string().optional().describe("Why"),
} satisfies z.ZodRawShape;

export const truncated = "Descriptions are shortened where not all fits; checkpoint_get brings the rest";

/** Beyond these characters texts are shortened, in halves, until an answer of several checkpoints fits. */
const LONGEST = 5_000;
const SHORTEST = 150;

/** @param most characters of the description, and of the context. */
export function toWire(read: ProjectCheckpoint, most: number = Number.POSITIVE_INFINITY): WireCheckpoint {
  const { id, summary, projectPath, tags, tokenCount, createdAt, updatedAt, kind, isCut, damaged } = read;
  const description = cut(read.description, most);
  const context = firstPairs(read.context, most);
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
    ...(Object.keys(context).length < Object.keys(read.context).length ? { context_truncated: true as const } : {}),
    ...(damaged === undefined ? {} : { damaged }),
  };
}

export function degradationOf({ degraded, degradedReason }: Standing): { degraded?: true; degraded_reason?: string } {
  return {
    ...(degraded === undefined ? {} : { degraded }),
    ...(degradedReason === undefined ? {} : { degraded_reason: degradedReason }),
  };
}

/**
 * As many of the first as fit into an answer beside `frame`, shortened alike where they do not fit whole: rather all of
 * them in brief than the first at length.
 *
 * @param itemOf what stands in the answer for one, of which no text is longer than `most`.
 */
export async function fitBriefly<From, To extends object>(
  workrail: Workrail,
  frame: object,
  all: readonly From[],
  itemOf: (each: From, most: number) => To,
): Promise<To[]> {
  // One more than there are: it is answered with only where all fit, while the first of them is in any case.
  const fit = (items: readonly To[]): Promise<object[]> => workrail.fitAnswer<object>(frame, [...items, {}]);
  let items = all.map((each) => itemOf(each, Number.POSITIVE_INFINITY));
  let fitted = await fit(items);
  for (let most = LONGEST; fitted.length <= all.length && most >= SHORTEST; most /= 2) {
    items = all.map((each) => itemOf(each, Math.floor(most)));
    fitted = await fit(items);
  }
  return items.slice(0, fitted.length);
}

/** On a whole character. */
function cut(text: string, most: number): string {
  return text.length <= most ? text : text.slice(0, most).replace(/[\uD800-\uDBFF]$/u, "");
}

function firstPairs(context: ProjectCheckpoint["context"], most: number): ProjectCheckpoint["context"] {
  let left = most;
  const fitting = Object.entries(context).filter(([key, value]) => (left -= JSON.stringify({ [key]: value }).length) >= 0);
  return Object.fromEntries(fitting);
}
