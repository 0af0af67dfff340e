import { SETUP_HOSTS } from "@workrail/host-setup";
import * as z from "zod";

const change = z.strictObject({
  file: z.string().describe("absolute path"),
  action: z.enum(["create", "change", "remove"]).describe("`create`, `change` or `remove`"),
  parts: z.array(z.string()).describe("the kinds of entries: `mcp`, `hooks`"),
  description: z.string().describe("the change, for people"),
});

const fault = z.strictObject({
  file: z.string().describe("absolute path"),
  message: z.string().describe("the reason, for people"),
  hint: z.string().optional().describe("what to do"),
});

/** Output of `workrail setup`. */
export const SETUP = z.strictObject({
  dryRun: z.boolean().describe("whether `--dry-run` was given"),
  remove: z.boolean().describe("whether `--remove` was given"),
  hosts: z
    .array(
      z.strictObject({
        host: z.enum(SETUP_HOSTS).describe("the agent"),
        scope: z.enum(["user", "project"]).describe("`user` or `project`"),
        isDone: z.boolean().describe("whether the changes were written"),
        changes: z.array(change).describe("files that change"),
        unchanged: z.array(z.string()).describe("files that need no change"),
        faults: z.array(fault).describe("files that cannot be changed; the exit code is then 2"),
        notes: z.array(z.string()).describe("further facts and steps for the person"),
      }),
    )
    .describe("of each agent"),
});
