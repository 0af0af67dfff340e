import { SETUP_HOSTS } from "@workrail/host-setup";
import * as z from "zod";
import { flag, listOf, oneOf, text, texts } from "./fields.ts";

const change = z.strictObject({
  file: text("absolute path"),
  action: oneOf(["create", "change", "remove"], "`create`, `change` or `remove`"),
  parts: texts("what it is about: `mcp`, `hooks`"),
  description: text("the change, for people"),
});

const fault = z.strictObject({
  file: text("absolute path"),
  message: text("why it is left as it is, for people"),
  hint: text("what to do").optional(),
});

const setup = z.strictObject({
  dryRun: flag("whether nothing was to be changed"),
  remove: flag("whether entries were to be taken out"),
  hosts: listOf(
    z.strictObject({
      host: oneOf(SETUP_HOSTS, "the agent"),
      scope: oneOf(["user", "project"], "`user` or `project`"),
      isDone: flag("whether the changes were written"),
      changes: listOf(change, "files that change"),
      unchanged: texts("files in which everything is as wanted"),
      faults: listOf(fault, "files that are left as they are; the exit code is then 2"),
      notes: texts("what a person has to know or do"),
    }),
    "of each agent",
  ),
});

/** Output of the commands that change other programs. */
export const ABOUT_HOSTS = { setup } as const;
