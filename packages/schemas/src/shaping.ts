import type { MarkCriticalResult, ShapedContextResult } from "@workrail/runtime";
import { anyObject, count, objectOf, oneOf, type ResultSchema, text, texts, time } from "./fields.ts";
import { ADVANCED, LARGEST_CRITICAL, OMISSIONS, ORIGIN, REPORT, RULES_WARNING, SECRETS, STANDING } from "./shapes.ts";

export const SHAPE_RESULT: ResultSchema<ShapedContextResult> = objectOf<ShapedContextResult>({
  context: anyObject("the shortened context"),
  tokensBefore: count("tokens of the whole context as JSON"),
  tokensAfter: count("tokens of the shortened context"),
  report: REPORT,
  omitted: OMISSIONS.optional().describe("omitted entries"),
  budgetExceededBy: count("tokens beyond the budget, used by critical entries").optional(),
  largestCritical: LARGEST_CRITICAL.optional(),
  advanced: ADVANCED.optional().describe("the part of a model, if one was asked"),
  checkpointId: text("the checkpoint with the original").optional(),
  sessionId: text("its session").optional(),
  validUntil: time("it is not removed automatically before this time").optional(),
  notKept: text("the reason why the original could not be saved").optional(),
  secrets: SECRETS.optional().describe("secrets in the original"),
  how: text("how to get it").optional(),
  contextRulesWarning: RULES_WARNING,
  origin: ORIGIN.optional().describe("time and agent of the save, if it was saved"),
  ...STANDING,
}).meta({ id: "shortened", description: "a shortened context" });

export const MARK_RESULT: ResultSchema<MarkCriticalResult> = objectOf<MarkCriticalResult>({
  status: oneOf(["SUCCESS", "KEY_NOT_FOUND"], "`SUCCESS`"),
  message: text("a sentence for people"),
  sessionId: text("the session"),
  criticalKeys: texts("its pinned entries"),
  ...STANDING,
}).meta({ id: "pins", description: "pinned entries" });
