import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { stripHostText, stripHostTextOfOutput } from "./strip-host-text.ts";

const BLOCK = "<system-reminder>\nremember\n</system-reminder>\n";

describe("stripHostText", () => {
  it("takes closed blocks out", () => {
    expect(stripHostText(`a ${BLOCK}b <workrail-resume id="1">old</workrail-resume >c`)).toBe("a b c");
    expect(stripHostText("<hook_context>x <workrail-resume>y</workrail-resume> z</hook_context>Fix it")).toBe("Fix it");
  });

  it("keeps all words of a person who writes a tag without its end", () => {
    const words = "Why do we see <system-reminder> in the logs? Never touch src/legacy.";
    expect(stripHostText(words)).toBe(words);
    expect(stripHostText(`${words}\n${BLOCK}`)).toBe(words);
    expect(stripHostText(`${BLOCK}${words}`)).toBe(words);
    expect(stripHostText("Remove </system-reminder>, keep <hook_context>.")).toBe("Remove </system-reminder>, keep <hook_context>.");
  });

  it("takes blocks within blocks of the same name out as one", () => {
    expect(stripHostText(`a<system-reminder>b ${BLOCK}c</system-reminder>d`)).toBe("ad");
  });

  it("leaves text without such blocks as it is", () => {
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
  it("takes closed blocks out, and a block that the host cut off", () => {
    expect(stripHostTextOfOutput(`1 failed\n${BLOCK}2 passed\n<system-reminder>\nreme`)).toBe("1 failed\n2 passed");
    expect(stripHostTextOfOutput(`ok <hook_context>x <system-reminder>y</system-reminder> z`)).toBe("ok");
  });
});
