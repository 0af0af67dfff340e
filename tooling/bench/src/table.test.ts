import { expect, it } from "vitest";
import { table } from "./table.ts";

it("aligns figures to the right and words to the left", () => {
  const rows = [
    ["save", "1.25", "1.50x", "met"],
    ["load latest", "-", "-", "MISSED"],
  ];
  expect(table(["operation", "ms", "ratio", "verdict"], rows)).toBe(
    [
      "| operation   |   ms | ratio | verdict |",
      "| ----------- | ---: | ----: | ------- |",
      "| save        | 1.25 | 1.50x | met     |",
      "| load latest |    - |     - | MISSED  |",
    ].join("\n"),
  );
});
