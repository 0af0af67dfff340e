import { isJsonObject, roundedIntegers } from "@workrail/core";
import { RESUMED_WORK, SECRETS } from "@workrail/schemas";
import * as z from "zod";
import { toldField } from "../told-fields.ts";
import { jsonObject } from "../tool.ts";

/** Fields shared by several tools. Texts are words for fields of a result: see `toldFields`. */

export const durability: z.ZodEnum<{ disk: "disk"; memory: "memory" }> = z
  .enum(["disk", "memory"])
  .describe("Where it is safe: memory is lost with the server");

/** Present only while the disk fails. */
export const degradation = {
  degraded: z.literal(true).optional().describe("The disk cannot be written to: what is saved now stays in memory until it can"),
  degradedReason: z.string().optional().describe("Why"),
} satisfies z.ZodRawShape;

export const metadata: ReturnType<typeof jsonObject> = jsonObject().describe(
  "What describes the checkpoint: name, tags, agentId, contextHash, blobPath, lastAccessedAt, phase, criticalKeys and your own keys",
);

export const otherProject = "The session belongs to another project: be sure that it is meant";
export const contextRulesWarning = "The project's file of rules cannot be used. Tell your user";

/** Secrets found by a save, in brief: names at most five places and counts the rest. */
export const secrets: z.ZodType = toldField(SECRETS, "Possible secrets in it, by rule and place. Tell your user");

/** Most rounded integers that are named. */
const MOST_ROUNDED = 5;

/** Reports integers that were rounded when the call was parsed; empty when there are none. */
export function roundedNumbers(rounded: readonly string[]): { readonly roundedNumbers?: { count: number; integers: string[] } } {
  return rounded.length === 0 ? {} : { roundedNumbers: { count: rounded.length, integers: rounded.slice(0, MOST_ROUNDED) } };
}

/** Returns integers that are rounded when fields sent as text are parsed, including fields of a patch. */
export function roundedInTexts(context: unknown, patch: unknown): readonly string[] {
  const given = [context, patch, ...(isJsonObject(patch) ? Object.values(patch) : [])];
  return given.filter((value) => typeof value === "string").flatMap((text) => roundedIntegers(text));
}

/** Entries dropped from a state compared with its parent. */
export const droppedKeys = {
  droppedKeys: "Entries that the parent had and this has not",
  droppedKeysCount: "How many, when not all are named",
} as const;

export const time: z.ZodString = z.string().meta({ format: "date-time" });

export const metadataOmitted: z.ZodOptional<z.ZodType> = toldField(
  RESUMED_WORK.shape.metadataOmitted,
  "Fields of the metadata that are too large here; loading with full brings them",
  { "entries.keyCharacters": false, nextCursor: false },
).optional();
