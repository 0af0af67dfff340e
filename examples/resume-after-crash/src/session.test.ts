import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { applyStep, type Context, type Session } from "./session-player.ts";

const sessionFile = fileURLToPath(new URL("../session.json", import.meta.url));
const generator = fileURLToPath(new URL("../build-session.mjs", import.meta.url));

const recorded = await readFile(sessionFile, "utf8");
const session = JSON.parse(recorded) as Session;

/** Returns every context of the session, starting with the initial one. */
function contexts({ initial, steps }: Session): readonly Context[] {
  const passed = [initial];
  for (const step of steps) passed.push(applyStep(passed.at(-1) ?? {}, step));
  return passed;
}

function finalContext(): Context {
  return contexts(session).at(-1) ?? {};
}

describe("the recorded session", () => {
  it("has at least 60 steps, each of which applies and changes something", () => {
    const texts = contexts(session).map((context) => JSON.stringify(context));
    expect(session.steps.length).toBeGreaterThanOrEqual(60);
    expect(new Set(texts).size).toBe(session.steps.length + 1);
  });

  it("only appends to lists and puts into objects that are there", () => {
    const passed = contexts(session);
    const newKeys = session.steps.flatMap(({ append = {}, put = {} }, index) =>
      [...Object.keys(append), ...Object.keys(put)].filter((key) => !Object.hasOwn(passed[index] ?? {}, key)),
    );
    expect(newKeys).toEqual([]);
  });

  it("grows to a few hundred kilobytes", () => {
    const bytes = Buffer.byteLength(JSON.stringify(finalContext()));
    expect(bytes).toBeGreaterThan(300_000);
    expect(bytes).toBeLessThan(600_000);
  });

  it("is the same after a trip through JSON", () => {
    for (const context of contexts(session)) {
      const text = JSON.stringify(context);
      expect(JSON.stringify(JSON.parse(text))).toBe(text);
    }
    expect(JSON.parse(JSON.stringify(finalContext()))).toStrictEqual(finalContext());
  });

  it("holds what makes contexts hard to keep", () => {
    const text = JSON.stringify(finalContext());
    const hard = ["\\ud83e tail", '"__proto__":3', '"~1":', '"pointer/with/slashes":', "味噌汁", "Żurek", "🪣", "مذكرات"];
    expect(hard.filter((part) => !text.includes(part))).toStrictEqual([]);
  });

  it("is built from the authored texts, byte for byte", async () => {
    const { stdout } = await promisify(execFile)(process.execPath, [generator, "--stdout"], { maxBuffer: 16 * 1024 * 1024 });
    expect(stdout === recorded).toBe(true);
  });
});
