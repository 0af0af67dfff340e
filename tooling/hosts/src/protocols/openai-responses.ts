import { type AnsweredCall, eventStream, field, list, type ModelAnswer, type Protocol } from "../model-answer.ts";

/** The Responses API, as Codex speaks it. */
export const openaiResponses: Protocol = {
  handles: (path) => /^\/v1\/responses(\?|$)/.test(path),
  offeredTools: (body) => new Set(list(body, "tools").map((tool) => String(field(tool, "name") ?? field(tool, "type")))),
  write: (answer, { body }) => eventStream(events(answer, body), (event) => String(field(event, "type"))),
};

function events(answer: ModelAnswer, body: unknown): readonly unknown[] {
  const items = outputItems(answer);
  const response = { id: `resp_${answer.id}`, object: "response", model: field(body, "model") };
  const total = Math.ceil(JSON.stringify(body).length / 4);
  const usage = {
    input_tokens: total,
    input_tokens_details: { cached_tokens: 0 },
    output_tokens: 20,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: total + 20,
  };
  return [
    { type: "response.created", response: { ...response, status: "in_progress", output: [] } },
    ...items.flatMap((item, output_index) => [
      { type: "response.output_item.added", output_index, item },
      { type: "response.output_item.done", output_index, item },
    ]),
    { type: "response.completed", response: { ...response, status: "completed", output: items, usage } },
  ];
}

function outputItems({ id, text, calls }: ModelAnswer): readonly unknown[] {
  const message = {
    type: "message",
    id: `msg_${id}`,
    role: "assistant",
    status: "completed",
    content: [{ type: "output_text", text, annotations: [] }],
  };
  return [...(text === "" ? [] : [message]), ...calls.map(callItem)];
}

function callItem({ id, name, input, plain }: AnsweredCall): unknown {
  const ids = { id: `item_${id}`, call_id: `call_${id}`, status: "completed", name };
  return plain === undefined
    ? { type: "function_call", ...ids, arguments: JSON.stringify(input) }
    : { type: "custom_tool_call", ...ids, input: plain };
}
