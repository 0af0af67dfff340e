import { expect, it } from "vitest";
import { parameterText } from "./parameter-text.ts";

it.each([[[["nested"]]], [[new Uint8Array(1)]], [[new Date(0)]], { an: "object" }])(
  "a value that has no text of its own is refused: %j",
  (value) => {
    expect(() => parameterText(value as never)).toThrow(TypeError);
  },
);
