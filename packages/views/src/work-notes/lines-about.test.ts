import { describe, expect, it } from "vitest";
import { linesAbout } from "./lines-about.ts";

const file = Array.from({ length: 400 }, (_, at) => `    value_${at} = compute(${at})`);

describe("linesAbout", () => {
  it("returns the line whose number is mentioned, and the lines around it", () => {
    const shown = file.map((line, at) => `${at + 1001}:${line}`).join("\n");
    expect(linesAbout(shown, "I look at line 1201 next.")).toMatchObject({ 1200: file[199], 1201: file[200], 1202: file[201] });
  });

  it("returns the lines around the rarest name that is mentioned", () => {
    const output = [...file.slice(0, 90), "def toMinutes(value):", ...file.slice(90)].join("\n");
    const lines = linesAbout(output, "The bug must be in `toMinutes`, which calls compute.");
    expect(lines).toMatchObject({ 91: "def toMinutes(value):" });
    expect(Object.keys(lines).length).toBeLessThan(20);
  });

  it("prefers the name that is mentioned more often", () => {
    const output = ["class TimeSpan:", ...file, "def parse_span(text):"].join("\n");
    const lines = linesAbout(output, "parse_span of TimeSpan rounds.\ngrep parse_span a.py");
    expect(Object.values(lines)).toContain("def parse_span(text):");
  });

  it("returns the beginning, without blank lines, when no mentioned name occurs", () => {
    expect(linesAbout(`first\n\n${file.join("\n")}`, "I open src/a_b.py")).toMatchObject({ 1: "first", 3: file[0] });
    expect(linesAbout("", "anything")).toEqual({});
  });

  it("limits the size of its result", () => {
    expect(JSON.stringify(linesAbout(`${"x_1 ".repeat(50_000)}\n`.repeat(9), "x_1")).length).toBeLessThan(2_500);
  });
});
