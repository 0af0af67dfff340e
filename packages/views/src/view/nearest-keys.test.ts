import { describe, expect, it } from "vitest";
import { nearestKeys } from "./nearest-keys.ts";

describe("nearest keys", () => {
  const keys = ["goal", "openQuestions", "test_results", "plan", "planNotes", "x"];

  it.each<[string, string, readonly string[]]>([
    ["spelled alike", "gaol", ["goal"]],
    ["with other capitals and joints", "open_questions", ["openQuestions"]],
    ["with a word in common", "testOutput", ["test_results"]],
    ["that begin so", "pla", ["plan", "planNotes"]],
    ["none", "budget", []],
  ])("%s", (_, name, expected) => expect(nearestKeys(name, keys)).toEqual(expected));
});
