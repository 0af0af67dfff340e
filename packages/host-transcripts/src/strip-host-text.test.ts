import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { stripHostText, stripHostTextOfOutput } from "./strip-host-text.ts";

const BLOCK = "<system-reminder>\nremember\n</system-reminder>\n";

describe("stripHostText", () => {
  it("removes closed blocks", () => {
    expect(stripHostText(`a ${BLOCK}b <workrail-resume id="1">old</workrail-resume >c`)).toBe("a b c");
    expect(stripHostText("<hook_context>x <workrail-resume>y</workrail-resume> z</hook_context>Fix it")).toBe("Fix it");
  });

  it("keeps all words of a user who writes an unclosed tag", () => {
    const words = "Why do we see <system-reminder> in the logs? Never touch src/legacy.";
    expect(stripHostText(words)).toBe(words);
    expect(stripHostText(`${words}\n${BLOCK}`)).toBe(words);
    expect(stripHostText(`${BLOCK}${words}`)).toBe(words);
    expect(stripHostText("Remove </system-reminder>, keep <hook_context>.")).toBe("Remove </system-reminder>, keep <hook_context>.");
  });

  it("removes nested blocks of the same name as one", () => {
    expect(stripHostText(`a<system-reminder>b ${BLOCK}c</system-reminder>d`)).toBe("ad");
  });

  it("returns text without such blocks unchanged", () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        expect([stripHostText(text), stripHostTextOfOutput(text)]).toEqual([text, text]);
      }),
    );
  });

  it("reads a million characters of tags without an end within a second", () => {
    const begun = performance.now();
    for (const tags of ["<system-reminder>", "<system-reminder ", "</system-reminder>"]) {
      const text = tags.repeat(60_000);
      expect(stripHostText(text)).toHaveLength(text.trim().length);
    }
    expect(performance.now() - begun).toBeLessThan(1_000);
  });
});

describe("stripHostTextOfOutput", () => {
  it("removes closed blocks, and a block that the host cut off", () => {
    expect(stripHostTextOfOutput(`1 failed\n${BLOCK}2 passed\n<system-reminder>\nreme`)).toBe("1 failed\n2 passed");
    expect(stripHostTextOfOutput(`ok <hook_context>x <system-reminder>y</system-reminder> z`)).toBe("ok");
  });
});
