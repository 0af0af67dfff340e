import * as z from "zod";
import { ANSWERS } from "./answers.ts";

/** Returns the JSON Schema of each command's output with `--json`. Shared definitions are in `$defs`. */
export function answerSchemas(): readonly (readonly [command: string, schema: object])[] {
  return Object.entries(ANSWERS).map(([command, answer]) => [command, z.toJSONSchema(answer, { io: "output", unrepresentable: "any" })]);
}
