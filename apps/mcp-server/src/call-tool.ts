import { type Log, readOnly } from "@workrail/core";
import { inOwnName } from "../../cli/src/own-name.ts";
import { parseArguments } from "./parse-arguments.ts";
import type { Tool, ToolCall } from "./tool.ts";
import { toToolFailure, type ToolFailure } from "./wire-errors.ts";

/** What the calls of a server share. */
interface Calling {
  readonly log: Log;
  readonly tools: readonly Tool[];
}

/** The result of `tools/call`, in the form every MCP library takes. */
export interface CallResult {
  readonly content: readonly [{ readonly type: "text"; readonly text: string }];
  readonly structuredContent?: Readonly<Record<string, unknown>>;
  readonly isError?: true;
  readonly _meta?: Readonly<Record<string, unknown>>;
}

/**
 * Runs one tool. Never rejects: a failure is a result that says so.
 *
 * @param tools all that there are, for errors that name another one.
 */
export async function callTool(tool: Tool, given: unknown, call: ToolCall, { log, tools }: Calling): Promise<CallResult> {
  try {
    const { input, corrected } = parseArguments(tool, given, tools);
    const result = await tool.run(input, call);
    const output = corrected.length === 0 ? result : { ...result, corrected };
    const meta = tool.resultMeta?.(result);
    return {
      content: [{ type: "text", text: JSON.stringify(output) }],
      structuredContent: output,
      ...(meta !== undefined && { _meta: meta }),
    };
  } catch (error) {
    const failure = tool.toFailure?.(error) ?? toToolFailure(error);
    if (isFault(error) && !call.signal.aborted) {
      log.error("a tool failed unexpectedly", { tool: tool.name, error });
    }
    return toErrorResult(failure);
  }
}

/** Says that a tool that would change something is not to be had: in one form for all, since none of them is listed. */
export function refuseTool(): CallResult {
  return toErrorResult(toToolFailure(readOnly()));
}

/** Whether nobody foresaw it. */
function isFault(error: unknown): boolean {
  return toToolFailure(error).code === "INTERNAL";
}

/**
 * No `structuredContent`: one that does not match the output schema makes clients lose the text. Commands in that are called as whoever reads it
 * can call them.
 */
function toErrorResult(failure: ToolFailure): CallResult {
  const { text, ...meta } = failure;
  return { content: [{ type: "text", text: inOwnName(text, "agent") }], isError: true, _meta: meta };
}
