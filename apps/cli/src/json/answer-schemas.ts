import * as z from "zod";
import { ANSWERS } from "./answers.ts";

/** What every command prints with `--json`, as JSON Schema; what several print, or have in it, is in `$defs`. */
export function answerSchemas(): readonly (readonly [command: string, schema: object])[] {
  return Object.entries(ANSWERS).map(([command, answer]) => [command, z.toJSONSchema(answer, { io: "output", unrepresentable: "any" })]);
}
