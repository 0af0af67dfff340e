import { SETUP_HOSTS } from "@workrail/host-setup";
import * as z from "zod";
import { flag, listOf, oneOf, text, texts } from "./fields.ts";

const change = z.strictObject({
  file: text("absolute path"),
  action: oneOf(["create", "change", "remove"], "`create`, `change` or `remove`"),
  parts: texts("the kinds of entries: `mcp`, `hooks`"),
  description: text("the change, for people"),
});

const fault = z.strictObject({
  file: text("absolute path"),
  message: text("the reason, for people"),
  hint: text("what to do").optional(),
});

const setup = z.strictObject({
  dryRun: flag("whether `--dry-run` was given"),
  remove: flag("whether `--remove` was given"),
  hosts: listOf(
    z.strictObject({
      host: oneOf(SETUP_HOSTS, "the agent"),
      scope: oneOf(["user", "project"], "`user` or `project`"),
      isDone: flag("whether the changes were written"),
      changes: listOf(change, "files that change"),
      unchanged: texts("files that need no change"),
      faults: listOf(fault, "files that cannot be changed; the exit code is then 2"),
      notes: texts("further facts and steps for the person"),
    }),
    "of each agent",
  ),
});

/** Output of the commands that change other programs. */
export const ABOUT_HOSTS = { setup } as const;
