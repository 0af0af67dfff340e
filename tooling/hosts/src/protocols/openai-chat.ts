import { eventStream, field, list, type Protocol } from "../model-answer.ts";

/** Chat Completions, as opencode speaks it to a provider of one's own. */
export const openaiChat: Protocol = {
  handles: (path) => /^\/v1\/chat\/completions(\?|$)/.test(path),
  offeredTools: (body) => new Set(list(body, "tools").map((tool) => String(field(field(tool, "function"), "name")))),
  write: ({ id, text, calls }, { body }) => {
    const chunk = (delta: unknown, finish_reason: string | null): unknown => ({
      id: `chatcmpl-${id}`,
      object: "chat.completion.chunk",
      model: field(body, "model"),
      choices: [{ index: 0, delta, finish_reason }],
    });
    const toolCalls = calls.map((call, index) => ({
      index,
      id: `call_${call.id}`,
      type: "function",
      function: { name: call.name, arguments: JSON.stringify(call.input) },
    }));
    const usage = { prompt_tokens: Math.ceil(JSON.stringify(body).length / 4), completion_tokens: 20, total_tokens: 20 };
    return eventStream([
      chunk({ role: "assistant", content: text }, null),
      ...(toolCalls.length > 0 ? [chunk({ tool_calls: toolCalls }, null)] : []),
      { ...(chunk({}, toolCalls.length > 0 ? "tool_calls" : "stop") as object), usage },
      "[DONE]",
    ]);
  },
};
