import { eventStream, field, list, type Protocol } from "../model-answer.ts";

/** `generateContent` and `streamGenerateContent`, as Gemini CLI speaks it. */
export const geminiContent: Protocol = {
  handles: (path) => /^\/v1(beta)?\/models\/[^:]+:(streamGenerateContent|generateContent|countTokens)/.test(path),
  offeredTools: (body) =>
    new Set(list(body, "tools").flatMap((tool) => list(tool, "functionDeclarations").map((declared) => String(field(declared, "name"))))),
  write: ({ text, calls }, { path, body }) => {
    const total = Math.ceil(JSON.stringify(body).length / 4);
    if (path.includes(":countTokens")) return { contentType: "application/json", body: JSON.stringify({ totalTokens: total }) };
    const parts = [
      ...(text === "" ? [] : [{ text }]),
      ...calls.map(({ id, name, input }) => ({ functionCall: { id, name, args: input } })),
    ];
    const response = {
      candidates: [{ index: 0, content: { role: "model", parts }, finishReason: "STOP" }],
      usageMetadata: { promptTokenCount: total, candidatesTokenCount: 20, totalTokenCount: total + 20 },
      modelVersion: /models\/([^:]+):/.exec(path)?.[1],
    };
    if (path.includes(":streamGenerateContent")) return eventStream([response]);
    return { contentType: "application/json", body: JSON.stringify(response) };
  },
};
