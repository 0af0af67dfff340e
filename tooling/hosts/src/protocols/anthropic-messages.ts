import { type AnsweredCall, eventStream, field, list, type ModelAnswer, type Protocol, type WireAnswer } from "../model-answer.ts";

/** The Messages API, as Claude Code speaks it. */
export const anthropicMessages: Protocol = {
  handles: (path) => /^\/v1\/messages(\/count_tokens)?(\?|$)/.test(path),
  offeredTools: (body) => new Set(list(body, "tools").map((tool) => String(field(tool, "name")))),
  write: (answer, { path, body }) => {
    if (path.includes("count_tokens")) return json({ input_tokens: Math.ceil(JSON.stringify(body).length / 4) });
    return field(body, "stream") === true
      ? eventStream(events(answer, body), (event) => String(field(event, "type")))
      : json(whole(answer, body));
  },
};

function json(value: unknown): WireAnswer {
  return { contentType: "application/json", body: JSON.stringify(value) };
}

function whole(answer: ModelAnswer, body: unknown): unknown {
  return { ...head(answer, body), content: content(answer), stop_reason: stopReason(answer), usage: usage(answer, body) };
}

function events(answer: ModelAnswer, body: unknown): readonly unknown[] {
  const blocks = content(answer).flatMap((block, index) => [
    { type: "content_block_start", index, content_block: opened(block) },
    { type: "content_block_delta", index, delta: delta(block) },
    { type: "content_block_stop", index },
  ]);
  return [
    {
      type: "message_start",
      message: { ...head(answer, body), content: [], stop_reason: null, usage: { ...usage(answer, body), output_tokens: 1 } },
    },
    ...blocks,
    { type: "message_delta", delta: { stop_reason: stopReason(answer), stop_sequence: null }, usage: usage(answer, body) },
    { type: "message_stop" },
  ];
}

function head(answer: ModelAnswer, body: unknown): Readonly<Record<string, unknown>> {
  return { id: `msg_${answer.id}`, type: "message", role: "assistant", model: field(body, "model"), stop_sequence: null };
}

type Block = { readonly type: "text"; readonly text: string } | ({ readonly type: "tool_use" } & AnsweredCall);

function content({ text, calls }: ModelAnswer): readonly Block[] {
  const spoken = text === "" ? [] : [{ type: "text" as const, text }];
  return [...spoken, ...calls.map(({ id, name, input }) => ({ type: "tool_use" as const, id: `toolu_${id}`, name, input }))];
}

function opened(block: Block): Block {
  return block.type === "text" ? { ...block, text: "" } : { ...block, input: {} };
}

function delta(block: Block): unknown {
  return block.type === "text"
    ? { type: "text_delta", text: block.text }
    : { type: "input_json_delta", partial_json: JSON.stringify(block.input) };
}

function stopReason({ calls }: ModelAnswer): string {
  return calls.length > 0 ? "tool_use" : "end_turn";
}

function usage(answer: ModelAnswer, body: unknown): Readonly<Record<string, number>> {
  return {
    input_tokens: Math.ceil(JSON.stringify(body).length / 4),
    output_tokens: Math.ceil(JSON.stringify(content(answer)).length / 4),
    cache_creation_input_tokens: 0,
    cache_read_input_tokens: 0,
  };
}
