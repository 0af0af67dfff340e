import { readdir, readFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { RECORDINGS_FOLDER, recordedText, recordings } from "./recordings.ts";
import { SCENARIOS } from "./scenarios/all-scenarios.ts";

/** Paths and ports that belong to a machine. The paths of scenarios begin with `/home/user` or are named in their prompts. */
const OF_A_MACHINE = /workrail-host-|\.pyenv|\/root\/|127\.0\.0\.1:(?!8080)\d/;

describe.each(SCENARIOS)("the scenario $name", ({ name, hosts, before, after, isInterrupted = false, questions }) => {
  it("has ten questions and at least twelve turns", () => {
    expect(questions).toHaveLength(10);
    expect(before.flatMap(({ turns }) => turns).length).toBeGreaterThanOrEqual(12);
  });

  it("ends each exchange with text, unless the user or a kill stops the host", () => {
    const open = [...before, ...after].filter(({ turns, isEscaped = false }) => !isEscaped && turns.at(-1)?.calls !== undefined);
    expect(open).toEqual(isInterrupted ? [before.at(-1)] : []);
  });

  it("can be answered from the messages, calls and output before the cut", async () => {
    const files = (await recordings()).filter(({ scenario }) => scenario === name);
    expect(files.map(({ host }) => host).sort()).toEqual([...hosts].sort());
    for (const { host, before: file } of files) {
      const text = readable(await recordedText(file));
      const missing = questions.filter(({ expect: wanted }) => (typeof wanted === "string" ? !text.includes(wanted) : !wanted.test(text)));
      expect(missing.map(({ ask }) => `${host}: ${ask}`)).toEqual([]);
    }
  });

  it("was recorded without paths of the machine", async () => {
    for (const { scenario, before: first, after } of await recordings()) {
      if (scenario !== name) continue;
      expect(OF_A_MACHINE.exec((await recordedText(first)) + (await recordedText(after)))?.[0]).toBeUndefined();
    }
  });
});

describe("payloads", () => {
  it("were recorded without paths of the machine", async () => {
    const folder = new URL("payloads/", RECORDINGS_FOLDER);
    const files = (await readdir(folder, { recursive: true })).filter((path) => path.endsWith(".json"));
    const texts = await Promise.all(files.map((path) => readFile(new URL(path, folder), "utf8")));
    expect(texts.filter((text) => OF_A_MACHINE.test(text))).toEqual([]);
  });
});

/** JSON text with its line breaks and quotes as a reader sees them, at each depth. */
function readable(text: string): string {
  return text.replaceAll(/\\+n/g, "\n").replaceAll(/\\+"/g, '"');
}
