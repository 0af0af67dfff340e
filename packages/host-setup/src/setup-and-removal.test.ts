import { readFileSync } from "node:fs";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { AMachine } from "../test/a-machine.ts";
import { existingTexts } from "../test/existing-files.ts";
import { SETUP_HOSTS } from "./setup-hosts.ts";

let machine: AMachine;

beforeEach(() => {
  machine = new AMachine();
});
afterEach(() => machine.remove());

const SCOPES = ["user", "project"] as const;
const HOSTS_AND_SCOPES = SETUP_HOSTS.flatMap((host) => SCOPES.map((scope) => [host, scope] as const)).filter(
  ([host, scope]) => host !== "windsurf" || scope === "user",
);

describe.each(HOSTS_AND_SCOPES)("set-up of %s for a %s", (host, scope) => {
  it("makes missing files, and its removal removes them and their directories", async () => {
    const before = machine.everything();
    const { changes, faults } = await machine.setUp(host, { scope });
    expect(faults).toEqual([]);
    expect(changes.map(({ file }) => file)).toEqual(machine.files(host, scope));
    await machine.takeBack(host, { scope });
    expect(machine.everything()).toEqual(before);
  });

  it("changes nothing the second time", async () => {
    await machine.setUp(host, { scope });
    const once = machine.everything();
    const { changes, unchanged } = await machine.setUp(host, { scope });
    expect(changes).toEqual([]);
    expect(unchanged).toEqual(machine.files(host, scope));
    expect(machine.everything()).toEqual(once);
  });

  it("keeps every byte of files that are there, and its removal restores them", async () => {
    for (const part of machine.parts(host, scope)) {
      for (const [shape, text] of Object.entries(existingTexts(part, host))) {
        machine.write(part.file, text);
        const before = machine.everything();
        const { faults } = await machine.setUp(host, { scope });
        expect(faults, shape).toEqual([]);
        const written = readFileSync(part.file, "utf8");
        expect(isSpreadIn(text, written), `${shape}:\n${written}`).toBe(true);
        expect(part.inspect(written), shape).toMatchObject(part.kind === "mcp" ? { server: { command: "npx" } } : {});
        expect((await machine.setUp(host, { scope })).changes, shape).toEqual([]);
        await machine.takeBack(host, { scope });
        expect(machine.everything(), shape).toEqual(before);
      }
    }
  });

  it("is taken out of a file that was edited since, and the edit stays", async () => {
    for (const part of machine.parts(host, scope)) {
      for (const [shape, text] of Object.entries(existingTexts(part, host))) {
        machine.write(part.file, text);
        await machine.setUp(host, { scope });
        const edited = edit(readFileSync(part.file, "utf8"), part.file);
        machine.write(part.file, edited);
        const { faults } = await machine.takeBack(host, { scope });
        expect(faults, shape).toEqual([]);
        const left = readFileSync(part.file, "utf8");
        expect(left, shape).toContain("edited");
        expect(left, shape).not.toMatch(/npx|workrail\.mjs/u);
        // The table that was added behind an unfinished line of TOML has finished that line.
        const isFinished = part.file.endsWith(".toml") && !text.endsWith("\n");
        const isComparable = text.includes("theirs");
        expect(isComparable ? left : "", shape).toBe(isComparable ? edit(text, part.file) + (isFinished ? "\n" : "") : "");
      }
    }
  });
});

it("removes a created file into which opencode wrote its own schema", async () => {
  const before = machine.everything();
  await machine.setUp("opencode");
  const file = machine.file("opencode", "mcp");
  machine.write(file, readFileSync(file, "utf8").replace("{", '{ "$schema": "https://opencode.ai/config.json",'));
  await machine.takeBack("opencode");
  expect(machine.everything()).toEqual(before);
});

/** Tells whether a text is the other one with something added: every character is there, in the same order. */
function isSpreadIn(text: string, longer: string): boolean {
  let at = 0;
  for (const character of longer) if (text.startsWith(character, at)) at += character.length;
  return at === text.length;
}

/** An edit that every host's reader accepts. */
function edit(text: string, file: string): string {
  if (file.endsWith(".toml")) return `edited = true\n${text.replace(/^\uFEFF/u, "")}`;
  return text.replace(/^([^{]*)\{/u, '$1{"edited": true,');
}
