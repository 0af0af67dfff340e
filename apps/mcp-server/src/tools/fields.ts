import * as z from "zod";
import { jsonObject } from "../tool.ts";

/** Fields that several tools share, described once. */

export const durability: z.ZodEnum<{ disk: "disk"; memory: "memory" }> = z
  .enum(["disk", "memory"])
  .describe("Where it is safe: memory is lost with the server");

/** Only while something is wrong with the disk. */
export const degradation = {
  degraded: z.literal(true).optional().describe("The disk cannot be written to: what is saved now stays in memory until it can"),
  degradedReason: z.string().optional().describe("Why"),
} satisfies z.ZodRawShape;

export const metadata: ReturnType<typeof jsonObject> = jsonObject().describe(
  "What describes the checkpoint: name, tags, agentId, contextHash, blobPath, lastAccessedAt, phase, criticalKeys and your own keys",
);

export const contextRulesWarning: z.ZodString = z.string().describe("The project's file of rules cannot be used. Tell your user");

/** Of a save, in few words: at most five places are named, the rest is counted. */
export const secrets: z.ZodType = z
  .looseObject({
    action: z.enum(["warned", "redacted"]),
    count: z.number(),
    found: z.array(z.looseObject({ rule: z.string(), path: z.string() })),
    advice: z.string(),
  })
  .describe("What looks like a secret in it, by rule and place. Tell your user");

/** At most so many are named. */
const MOST_ROUNDED = 5;

/** What to tell of integers that reading the call rounded; nothing where there are none. */
export function roundedNumbers(rounded: readonly string[]): { readonly roundedNumbers?: { count: number; integers: string[] } } {
  return rounded.length === 0 ? {} : { roundedNumbers: { count: rounded.length, integers: rounded.slice(0, MOST_ROUNDED) } };
}

export const time: z.ZodString = z.string().meta({ format: "date-time" });

export const metadataOmitted: z.ZodOptional<ReturnType<typeof omittedFields>> = omittedFields().optional();

function omittedFields() {
  return z
    .looseObject({ count: z.number(), entries: z.array(z.looseObject({ key: z.string(), characters: z.number() })) })
    .describe("Fields of the metadata that are too large here; loading with full brings them");
}
