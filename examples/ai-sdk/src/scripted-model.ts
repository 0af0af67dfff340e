import type { LanguageModel } from "ai";
import { MockLanguageModelV4 } from "ai/test";

/** A step of the model: it says a text, or calls a tool. */
export type Turn = string | { readonly tool: string; readonly input: object };

const USAGE = {
  inputTokens: { total: 0, noCache: 0, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 0, text: 0, reasoning: 0 },
};

/**
 * A model without a network. Like a real one it knows only its prompt: it plays the turn that follows the answers in there.
 *
 * @param before runs before each turn.
 */
export function scriptedModel(turns: readonly Turn[], before: (turn: number) => Promise<unknown> = async () => undefined): LanguageModel {
  const next = async (prompt: readonly { readonly role: string }[]): Promise<Played> => {
    const at = prompt.filter(({ role }) => role === "assistant").length;
    await before(at);
    return play(turns[at] ?? "Done.", at);
  };
  return new MockLanguageModelV4({
    async doGenerate({ prompt }) {
      return { ...(await next(prompt)), usage: USAGE, warnings: [] };
    },
    async doStream({ prompt }) {
      const { content, finishReason } = await next(prompt);
      const [said] = content;
      const parts = said.type === "text" ? spoken(said.text) : [said];
      return { stream: ReadableStream.from([...parts, { type: "finish" as const, finishReason, usage: USAGE }]) };
    },
  });
}

interface Played {
  readonly content: [{ type: "text"; text: string } | { type: "tool-call"; toolCallId: string; toolName: string; input: string }];
  readonly finishReason: { unified: "stop" | "tool-calls"; raw: undefined };
}

function play(turn: Turn, at: number): Played {
  if (typeof turn === "string") return { content: [{ type: "text", text: turn }], finishReason: { unified: "stop", raw: undefined } };
  const call = { type: "tool-call" as const, toolCallId: `call-${at}`, toolName: turn.tool, input: JSON.stringify(turn.input) };
  return { content: [call], finishReason: { unified: "tool-calls", raw: undefined } };
}

function spoken(text: string): { type: "text-start" | "text-delta" | "text-end"; id: string; delta: string }[] {
  return (["text-start", "text-delta", "text-end"] as const).map((type) => ({ type, id: "answer", delta: text }));
}
