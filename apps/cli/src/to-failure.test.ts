import { ERROR_CODES, type ErrorCode, WorkrailError } from "@workrail/core";
import { CommanderError } from "commander";
import { describe, expect, it } from "vitest";
import { EXIT_CODES } from "./exit-codes.ts";
import { toFailure } from "./to-failure.ts";

describe("toFailure", () => {
  it.each(Object.keys(ERROR_CODES) as ErrorCode[])("gives %s its exit code", (code) => {
    const failure = toFailure(new WorkrailError(code, "It went wrong.", { hint: "Do better.", details: { at: 1 } }), "See: help");
    expect(failure).toEqual({
      code,
      message: "It went wrong.",
      hint: "Do better.",
      details: { at: 1 },
      exitCode: EXIT_CODES[code],
    });
  });

  it.each([
    ['The latest checkpoint has no key "sessionId".', {}],
    ["There is no session sessionId.", { sessionId: "sessionId" }],
    ["/data/sessionId/config.json is no file.", {}],
    ["It cannot be read (C:\\sessionId at ends, agentId).", {}],
    ["It is in my checkpointId folder/x.", { path: "/my checkpointId folder/x" }],
  ])("passes on errors of others unchanged: %s", (message, details) => {
    expect(toFailure(new WorkrailError("CONFLICT", message, { hint: message, details }), "")).toMatchObject({ message, hint: message });
  });

  it("uses one exit code per kind of failure, and none that shells reserve", () => {
    const codes = Object.values(EXIT_CODES);
    expect(new Set(codes)).toEqual(new Set([1, 2, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19]));
  });

  it("names the library's parameters as options", () => {
    const error = new WorkrailError("CONFLICT", "parentId is not expectedParentId.", {
      hint: "Give sessionId and checkpointId; paid is no id.",
    });
    expect(toFailure(error, "")).toMatchObject({
      message: "--parent is not --expect-parent.",
      hint: "Give --session and checkpoint id; paid is no id.",
    });
  });

  it("names a parameter whose name is a common word as an option only when the failure is about it", () => {
    const about = (field: string, message: string): string =>
      toFailure(new WorkrailError("INVALID_INPUT", message, { details: { field } }), "").message;
    expect(about("limit", "limit must be a whole number from 1 to 100.")).toBe("--limit must be a whole number from 1 to 100.");
    expect(about("tags", "tags must each be text.")).toBe("--tag must each be text.");
    expect(about("limit", "The limit is 100.")).toBe("The limit is 100.");
    expect(about("context", "context must be a JSON object.")).toBe("context must be a JSON object.");
    expect(about("names", "name must be text.")).toBe("name must be text.");
  });

  it("treats refusals of commander as wrong usage", () => {
    const error = new CommanderError(1, "commander.unknownOption", "error: unknown option '--x'\n(Did you mean --y?)");
    expect(toFailure(error, "See: help")).toMatchObject({
      code: "INVALID_INPUT",
      message: "unknown option '--x' (Did you mean --y?)",
      hint: "See: help",
      exitCode: 2,
    });
  });

  it.each([new TypeError("x is not a function"), "x is not a function"])("treats any other error as a fault (%#)", (error) => {
    expect(toFailure(error, "See: help")).toMatchObject({ code: "INTERNAL", message: "x is not a function", exitCode: 1 });
  });
});
