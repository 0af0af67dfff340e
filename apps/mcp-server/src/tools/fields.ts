import type { CheckpointMetadata } from "@workrail/runtime";
import { RESUMED_WORK, SECRETS } from "@workrail/schemas";
import * as z from "zod";
import { answerField } from "../answer-fields.ts";
import { jsonObject, unlisted } from "../tool.ts";

/** Fields shared by several tools. Texts are words for fields of a result: see `answerFields`. */

export const durability: z.ZodEnum<{ disk: "disk"; memory: "memory" }> = z
  .enum(["disk", "memory"])
  .describe("memory: lost with the server");

/** Present only while the disk fails. */
export const degradation = {
  degraded: unlisted(z.literal(true).optional()),
  degradedReason: unlisted(z.string().optional()),
} satisfies z.ZodRawShape;

/** Tells the branch alone of the repository's state. */
export function branchOf(gitState: CheckpointMetadata["gitState"]): Pick<CheckpointMetadata, "gitState"> {
  return gitState?.branch === undefined ? {} : { gitState: { branch: gitState.branch } };
}

/** True for an id that the server made. A reader learns nothing from it where an id of the checkpoint stands beside it. */
export function isGenerated(sessionId: unknown): boolean {
  return typeof sessionId === "string" && /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/u.test(sessionId);
}

/** Argument of tools whose answer leaves out fields. */
export const details: z.ZodOptional<z.ZodBoolean> = z.boolean().optional().describe("All fields");

export const metadata: ReturnType<typeof jsonObject> = jsonObject().describe("Name, tags, own keys");

export const otherProject = "Of another project";

/** Secrets found by a save, in brief: names at most five places and counts the rest. */
export const secrets: z.ZodType = answerField(SECRETS, "Tell your user");

/** Entries dropped from a state compared with its parent. */
export const droppedKeys = {
  droppedKeys: "Keys its parent had",
  droppedKeysCount: unlisted,
} as const;

export const time: z.ZodString = z.string().meta({ format: "date-time" });

export const metadataOmitted: z.ZodType = unlisted(
  answerField(RESUMED_WORK.shape.metadataOmitted, undefined, ["entries.keyCharacters", "nextCursor"]).optional(),
);
