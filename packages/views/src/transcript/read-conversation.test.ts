import { describe, expect, it } from "vitest";
import { readConversation } from "./read-conversation.ts";

const MiB = 1024 * 1024;

function refusal(given: unknown, format?: unknown): unknown {
  try {
    return readConversation(given, format);
  } catch (error) {
    return error;
  }
}

describe("a conversation is refused", () => {
  it.each([
    ["missing", undefined],
    ["null", null],
    ["an empty text", ""],
  ])("when it is %s", (_, given) => {
    expect(refusal(given)).toMatchObject({ code: "INVALID_INPUT", message: "Conversation cannot be empty" });
  });

  it.each([
    ["a number", 7, "not a number"],
    ["an object", { role: "user", content: "a" }, "not an object"],
    ["a list with a text", [{ role: "user", content: "a" }, "b"], "conversation[1]"],
    ["a list with a list", [[]], "conversation[0]"],
    ["a message without a role", [{ content: "a" }], "conversation[0]"],
    ["a message whose role is no text", [{ role: 1, content: "a" }], "conversation[0]"],
    ["what JSON cannot hold", [{ role: "user", content: Number.NaN }], "finite"],
    ["nested without end", [{ role: "user", content: nested(200) }], "nested"],
  ])("when it is %s", (_, given, words) => {
    expect(refusal(given)).toMatchObject({ code: "INVALID_INPUT", message: expect.stringContaining(words) as string });
  });

  it("when it is a text in the format messages", () => {
    expect(refusal("User: hello", "messages")).toMatchObject({ code: "INVALID_INPUT", message: expect.stringContaining("list") as string });
    expect(refusal('{"role":"user"}', "messages")).toMatchObject({ code: "INVALID_INPUT" });
  });

  it("when its format is unknown", () => {
    expect(refusal("hello", "xml")).toMatchObject({ code: "INVALID_INPUT", details: { field: "format" } });
  });

  it.each([
    ["a text", "x".repeat(10 * MiB + 1)],
    ["a text of several bytes a character", "読".repeat(Math.ceil((10 * MiB) / 3) + 1)],
    ["messages", [{ role: "user", content: "x".repeat(10 * MiB) }]],
  ])("when it has more than 10MB: %s", (_, given) => {
    expect(refusal(given)).toMatchObject({ code: "TOO_LARGE", message: "The conversation is larger than 10MB" });
  });
});

describe("a conversation is taken", () => {
  it.each([
    ["a text of 10MB", "x".repeat(10 * MiB), "plain"],
    ["blanks", " \n ", "plain"],
    ["no messages", [], "messages"],
    ["messages without content", [{ role: "user" }], "messages"],
    ["messages of any content", [{ role: "user", content: { a: [1, null] } }], "messages"],
    ["items that have a type in the place of a role", [{ type: "function_call", name: "f", arguments: "{}" }], "messages"],
  ])("%s", (_, given, format) => {
    expect(readConversation(given)).toEqual({ given, format });
  });

  it("as messages when it is a list, regardless of the format", () => {
    expect(readConversation([{ role: "user", content: "a" }], "plain").format).toBe("messages");
  });

  it("as messages when the format is messages and it is a JSON list", () => {
    expect(readConversation('[{"role":"user","content":"a"}]', "messages")).toEqual({
      given: [{ role: "user", content: "a" }],
      format: "messages",
    });
  });
});

function nested(depth: number): unknown {
  return depth === 0 ? "deep" : [nested(depth - 1)];
}
