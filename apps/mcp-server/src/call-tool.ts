import { type Log, readOnly } from "@workrail/core";
import { inOwnName } from "@workrail/process";
import { noteText } from "./answer-line.ts";
import { parseArguments } from "./parse-arguments.ts";
import { AnswerNeeded } from "./question.ts";
import type { Tool, ToolCall } from "./tool.ts";
import { toToolFailure, type ToolFailure } from "./wire-errors.ts";

/** A call, and dependencies shared by all calls of a server. */
interface Calling {
  readonly call: ToolCall;
  readonly log: Log;
  readonly tools: readonly Tool[];
}

/** Result of `tools/call`, in the form that every MCP library accepts. */
export interface CallResult {
  readonly content: readonly [{ readonly type: "text"; readonly text: string }];
  readonly structuredContent?: Readonly<Record<string, unknown>>;
  readonly isError?: true;
  readonly _meta?: Readonly<Record<string, unknown>>;
}

/**
 * Runs one tool. A failure is returned as an error result.
 *
 * @param tools all tools, for errors that suggest another one.
 * @throws AnswerNeeded
 */
export async function callTool(tool: Tool, given: unknown, { call, log, tools }: Calling): Promise<CallResult> {
  try {
    const { input, corrected } = parseArguments(tool, given, tools);
    const result = await tool.run(input, call);
    const output = corrected.length === 0 ? result : { ...result, corrected };
    const meta = tool.resultMeta?.(result);
    const text = JSON.stringify(output);
    noteText(output, text);
    return {
      content: [{ type: "text", text }],
      structuredContent: output,
      ...(meta !== undefined && { _meta: meta }),
    };
  } catch (error) {
    if (error instanceof AnswerNeeded) throw error;
    const failure = tool.toFailure?.(error) ?? toToolFailure(error);
    if (isFault(error) && !call.signal.aborted) {
      log.error("a tool failed unexpectedly", { tool: tool.name, error });
    }
    return toErrorResult(failure);
  }
}

/**
 * Returns the error for a tool that is disabled because it changes something. All such tools give the same error, since none of them is
 * listed.
 */
export function refuseTool(): CallResult {
  return toErrorResult(toToolFailure(readOnly()));
}

/** True for an unexpected error. */
function isFault(error: unknown): boolean {
  return toToolFailure(error).code === "INTERNAL";
}

/**
 * Builds an error result, without `structuredContent`: if that does not match the output schema, clients drop the text. Commands in the
 * text are rewritten for an agent.
 */
function toErrorResult(failure: ToolFailure): CallResult {
  const { text, ...meta } = failure;
  return { content: [{ type: "text", text: inOwnName(text, "agent") }], isError: true, _meta: meta };
}
