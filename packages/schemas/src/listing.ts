import type { FindCheckpointsResult } from "@workrail/runtime";
import { listOf, objectOf, type ResultSchema } from "./fields.ts";
import { METADATA, PAGE, SESSION, STANDING } from "./shapes.ts";

export const FIND_RESULT: ResultSchema<FindCheckpointsResult> = objectOf<FindCheckpointsResult>({
  checkpoints: listOf(METADATA, "the newest first"),
  ...PAGE,
  session: SESSION.optional().describe("the session, if one was requested"),
  ...STANDING,
});
