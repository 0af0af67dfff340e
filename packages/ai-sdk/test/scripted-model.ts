import type { ModelMessage } from "ai";
import { MockLanguageModelV4 } from "ai/test";

type GenerateResult = Extract<ConstructorParameters<typeof MockLanguageModelV4>[0], object>["doGenerate"];
type Content = Extract<Awaited<ReturnType<Extract<GenerateResult, (...args: never[]) => unknown>>>["content"], readonly unknown[]>[number];

/** An error of the provider within a stream, or a stream that breaks. */
type StreamError = { readonly type: "error"; readonly error: unknown } | { readonly type: "throw"; readonly error: unknown };

/** A step of the model: a text, or calls of tools with their inputs. A stream ends with an error, if the turn has one. */
export type Turn = string | Readonly<Record<string, unknown>> | readonly (Content | StreamError)[];

const USAGE = {
  inputTokens: { total: 1, noCache: 1, cacheRead: undefined, cacheWrite: undefined },
  outputTokens: { total: 1, text: 1, reasoning: undefined },
};

/** A model that says the given turns, one for each step. `before` runs at the start of a step. */
export function scriptedModel(turns: readonly Turn[], before: (step: number) => unknown = () => undefined): MockLanguageModelV4 {
  let step = 0;
  const next = async (): Promise<readonly (Content | StreamError)[]> => {
    const turn = turns[step];
    await before(step);
    step += 1;
    if (turn === undefined) throw new Error(`The script has no turn ${step}.`);
    return contentOf(turn, step);
  };
  return new MockLanguageModelV4({
    async doGenerate() {
      const content = (await next()).filter((part) => !isError(part));
      return { content, finishReason: { unified: reasonOf(content), raw: undefined }, usage: USAGE, warnings: [] };
    },
    async doStream() {
      const content = await next();
      return { stream: ReadableStream.from(played(partsOf(content))) };
    },
  });
}

function isError(part: Content | StreamError): part is StreamError {
  return part.type === "error" || part.type === "throw";
}

function* played(parts: readonly (StreamPart | StreamError)[]): Generator<StreamPart> {
  for (const part of parts) {
    if (part.type === "throw") throw part.error;
    yield part;
  }
}

function contentOf(turn: Turn, step: number): readonly (Content | StreamError)[] {
  if (typeof turn === "string") return [{ type: "text", text: turn }];
  if (Array.isArray(turn)) return turn as readonly (Content | StreamError)[];
  return Object.entries(turn).map(([toolName, input], at) => ({
    type: "tool-call",
    toolCallId: `call-${step}-${at}`,
    toolName,
    input: JSON.stringify(input),
  }));
}

function reasonOf(content: readonly (Content | StreamError)[]): "tool-calls" | "stop" {
  return content.some(({ type }) => type === "tool-call") ? "tool-calls" : "stop";
}

type StreamResult = Awaited<ReturnType<MockLanguageModelV4["doStream"]>>["stream"];
type StreamPart = StreamResult extends ReadableStream<infer Part> ? Part : never;

function partsOf(content: readonly (Content | StreamError)[]): readonly (StreamPart | StreamError)[] {
  const parts = content.flatMap((each, at): readonly (StreamPart | StreamError)[] => {
    if (each.type === "text" || each.type === "reasoning") {
      const id = `${each.type}-${at}`;
      const { providerMetadata } = each;
      const about = providerMetadata === undefined ? {} : { providerMetadata };
      return [
        { type: `${each.type}-start`, id },
        { type: `${each.type}-delta`, id, delta: each.text },
        { type: `${each.type}-end`, id, ...about },
      ] as readonly StreamPart[];
    }
    return [each];
  });
  const start: StreamPart = { type: "stream-start", warnings: [] };
  if (content.some(isError)) return [start, ...parts];
  return [start, ...parts, { type: "finish", finishReason: { unified: reasonOf(content), raw: undefined }, usage: USAGE }];
}

/** A message of the user. */
export function user(content: string): ModelMessage {
  return { role: "user", content };
}
