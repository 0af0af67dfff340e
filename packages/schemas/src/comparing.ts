import { LAYERS } from "@workrail/core";
import type { CompareCheckpointsResult } from "@workrail/runtime";
import * as z from "zod";
import { count, flag, listOf, objectOf, oneOf, type ResultSchema, text } from "./fields.ts";
import { metadataWith } from "./shapes.ts";

const comparedEntry = z.strictObject({
  value: z.unknown().describe("the value"),
  layer: oneOf(LAYERS, "its layer"),
  tokens: count("tokens of the value as JSON"),
});

const layerSize = z.strictObject({ entries: z.int(), tokens: z.int() });

const compared = metadataWith({ tokens: count("tokens of the whole context") });

export const COMPARE_RESULT: ResultSchema<CompareCheckpointsResult> = objectOf<CompareCheckpointsResult>({
  from: compared.describe("[metadata](#metadata) of the older checkpoint, with `tokens`"),
  to: compared.describe("the same of the newer one"),
  entries: listOf(
    objectOf<CompareCheckpointsResult["entries"][number]>({
      key: text("the entry"),
      change: oneOf(["added", "removed", "changed", "moved"], "the kind of change"),
      from: comparedEntry.optional().describe("the older value, if any"),
      to: comparedEntry.optional().describe("the newer value, if any"),
    }),
    "changed entries",
  ),
  unchanged: count("entries that are the same in both"),
  isReordered: flag("whether the same entries have another order"),
  layers: z
    .partialRecord(z.enum(LAYERS), z.strictObject({ from: layerSize, to: layerSize }))
    .describe("for each layer `from` and `to`, each with `entries` and `tokens`"),
});
