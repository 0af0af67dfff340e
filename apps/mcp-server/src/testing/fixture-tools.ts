import { EventEmitter, once } from "node:events";
import process from "node:process";
import { WorkrailError } from "@workrail/core";
import * as z from "zod";
import type { Icon } from "../catalogue.ts";
import type { Resource } from "../resource.ts";
import { defineTool, jsonObject, type Tool } from "../tool.ts";

const annotations = { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false } as const;
const nothing = z.strictObject({});
const anything = z.looseObject({});

const counting = new EventEmitter();
let cancelled = 0;

/** Tools that fail in every way a real one might, and one that works. */
export const fixtureTools: readonly Tool[] = [
  defineTool({
    name: "echo",
    title: "Echo",
    description: "Gives back what it got.",
    input: z.strictObject({
      userContext: jsonObject().describe("Comes back as it is"),
      max_items: z.int().min(1).max(100).optional().describe("Ignored"),
      mode: z.enum(["plain", "fancy"]).optional().describe("Ignored"),
      tags: z.array(z.string().min(2)).max(3).optional().describe("Ignored"),
      paths: z
        .array(z.union([z.string(), z.array(z.string())]))
        .optional()
        .describe("Ignored"),
    }),
    output: z.looseObject({
      userContext: jsonObject().describe("What came"),
      client: z.string().describe("Who called"),
    }),
    annotations,
    meta: { "anthropic/alwaysLoad": true },
    aliases: { ctx: "userContext" },
    resultMeta: (result) => ("unchanged" in result.userContext ? { code: "CONTEXT_UNCHANGED", httpStatus: 200 } : undefined),
    run: async (input, call) => ({
      userContext: input.userContext,
      client: `${call.client?.name ?? "?"} ${call.client?.version ?? "?"}`,
    }),
  }),
  defineTool({
    name: "hold",
    title: "Hold",
    description: "Answers after the process got SIGUSR2; says on stderr when it has begun.",
    input: z.strictObject({ n: z.int().describe("Comes back") }),
    output: z.looseObject({ n: z.int().describe("What came") }),
    annotations,
    run: async ({ n }) => {
      // Listen before writing: an unexpected SIGUSR2 kills a process.
      const release = once(process, "SIGUSR2");
      process.stderr.write(`holding ${n}\n`);
      await release;
      process.stderr.write(`released ${n}\n`);
      return { n };
    },
  }),
  defineTool({
    name: "count",
    title: "Count",
    description: "Reports two steps of each of two parts, and answers after go_on.",
    input: nothing,
    output: anything,
    annotations,
    run: async (_, { progress }) => {
      const seen = once(counting, "seen");
      for (const message of ["First", "Second"]) for (const done of [1, 2]) progress?.({ done, total: 2, message });
      await seen;
      return {};
    },
  }),
  defineTool({
    name: "go_on",
    title: "Go on",
    description: "Lets count answer.",
    input: nothing,
    output: anything,
    annotations,
    run: async () => ({ wasWaiting: counting.emit("seen") }),
  }),
  defineTool({
    name: "wait_for_cancellation",
    title: "Wait for the cancellation",
    description: "Reports that it waits, and answers nothing until it is cancelled.",
    input: nothing,
    output: anything,
    annotations,
    run: async (_, { progress, signal }) => {
      const end = once(signal, "abort");
      progress?.({ done: 0, total: 1, message: "Waiting" });
      await end;
      cancelled += 1;
      return {};
    },
  }),
  defineTool({
    name: "count_cancellations",
    title: "Count the cancellations",
    description: "Tells how many calls were cancelled.",
    input: nothing,
    output: z.looseObject({ cancelled: z.int().describe("Calls of this process") }),
    annotations,
    run: async () => ({ cancelled }),
  }),
  defineTool({
    name: "fill",
    title: "Fill",
    description: "Answers with a long text.",
    input: z.strictObject({ length: z.int().describe("In characters") }),
    output: z.looseObject({ text: z.string().describe("A long text") }),
    annotations,
    run: async ({ length }) => ({ text: "x".repeat(length) }),
  }),
  defineTool({
    name: "fail_coded",
    title: "Fail with a code",
    description: "Fails as foreseen.",
    input: nothing,
    output: z.looseObject({ mustBeThere: z.string().describe("Never there") }),
    annotations,
    run: async () => {
      throw new WorkrailError("CHECKPOINT_NOT_FOUND", "there is no checkpoint abc", {
        hint: "List the checkpoints first",
        details: { checkpointId: "abc" },
      });
    },
  }),
  defineTool({
    name: "fail_unforeseen",
    title: "Fail without a code",
    description: "Fails as nobody foresaw.",
    input: nothing,
    output: anything,
    annotations,
    run: async () => {
      throw new Error("a secret out of somebody's context");
    },
  }),
  defineTool({
    name: "answer_badly",
    title: "Answer badly",
    description: "Answers with what JSON cannot say.",
    input: nothing,
    output: anything,
    annotations,
    run: async () => ({ huge: 1n }),
  }),
  defineTool({
    name: "lose_a_promise",
    title: "Lose a promise",
    description: "Answers, and leaves a rejection that nobody handles.",
    input: nothing,
    output: anything,
    annotations,
    run: async () => {
      void Promise.reject(new Error("lost"));
      return {};
    },
  }),
  defineTool({
    name: "throw_later",
    title: "Throw later",
    description: "Throws where nobody can catch it, and answers after SIGUSR2.",
    input: nothing,
    output: anything,
    annotations,
    run: async () => {
      setImmediate(() => {
        throw new Error("thrown later");
      });
      await once(process, "SIGUSR2");
      return {};
    },
  }),
];

export const FIXTURE_ICONS: readonly Icon[] = [{ src: "data:image/svg+xml;base64,PHN2Zy8+", mimeType: "image/svg+xml", sizes: ["any"] }];

/** A resource that is always there. */
export const fixtureNote: Resource = {
  uri: "fixture://note",
  name: "note",
  title: "Note",
  description: "Says that it is here.",
  read: async () => ({ note: "here" }),
};
