import { expect, it } from "vitest";
import { shellWord } from "./shell-word.ts";

it.each([
  ["task-1", "task-1"],
  ["user:42", "user:42"],
  ["feature/login", "feature/login"],
  ["two words", '"two words"'],
  ["café", '"café"'],
  ["a;b", '"a;b"'],
  ["-rf", '"-rf"'],
  ["$HOME", "'$HOME'"],
  ["it's", `"it's"`],
  ["it's $1", String.raw`'it'\''s $1'`],
])("writes %s as %s", (text, word) => {
  expect(shellWord(text)).toBe(word);
});
