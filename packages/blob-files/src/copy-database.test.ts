import fs from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { withDirectory } from "../test/with-directory.ts";
import { hasReliableStamp } from "./copy-database.ts";

describe("the check that a file's times will show its next change", () => {
  const AT = Date.UTC(2026, 0, 31, 12);

  it.for([
    ["a file system with fine times, 10 ms after a change", 0.123, 10, false],
    ["a file system with fine times, 100 ms after a change", 0.123, 100, true],
    ["a file system with times in whole seconds, 1.5 s after a change", 0, 1_500, false],
    ["a file system with times in whole seconds, 2.5 s after a change", 0, 2_500, true],
    ["a clock that was set back", 0.123, -60_000, true],
  ] as const)("on %s: %#", ([, fraction, laterMs, expected]) =>
    withDirectory((directory) => {
      const file = path.join(directory, "workrail.db");
      fs.writeFileSync(file, "");
      const changed = AT / 1_000 + fraction;
      fs.utimesSync(file, changed, changed);
      expect(hasReliableStamp([file, path.join(directory, "gone")], changed * 1_000 + laterMs)).toBe(expected);
    }),
  );
});
