import { readFileSync } from "node:fs";
import { beforeEach, describe, expect, it } from "vitest";
import { buildProgram } from "./program.ts";
import { useCli } from "./testing/use-cli.ts";

const cli = useCli();

describe.skipIf(process.platform === "win32")("examples (skipped on Windows: they are written for sh)", () => {
  beforeEach(async () => {
    cli.write("context.json", '{"goal":"begin"}');
    await cli.save({ goal: "prepare" }, "--session", "my-task");
    // The same as an example does: under an id of its own a save may be repeated.
    await cli.save({ goal: "begin" }, "--session", "my-task", "--id", "before-refactoring");
    await cli.output(["export", "my-task", "--output", "my-copy.json"]);
    await cli.output(["backup", "my-backup"]);
  });

  it.each([undefined, ...buildProgram().commands.map((command) => command.name())])("in the help of %s run", async (name) => {
    // Most machines that run tests have no keychain, which they need.
    const isRun = !["encrypt", "rekey"].includes(name ?? "");
    const help = await cli.output([...(name === undefined ? [] : [name]), "--help"]);
    const examples = /\nExamples?:\n((?: {2}.+\n)+)/u.exec(help)?.[1] ?? "";
    const lines = examples.trim().split("\n");
    expect(lines.every((line) => line.includes(`workrail ${name ?? ""}`))).toBe(true);
    for (const line of isRun ? lines : []) expect(await cli.shell(line)).toMatchObject({ code: 0 });
  });

  it("in the README run", async () => {
    const readme = readFileSync(new URL("../README.md", import.meta.url), "utf8");
    const examples = /^```sh\n(.*?)^```$/msu.exec(readme)?.[1] ?? "";
    const { code, stdout } = await cli.shell(`set -e\n${examples}`);
    expect(code).toBe(0);
    expect(stdout).toContain('"goal": "sort the invoices"');
    expect(readFileSync(`${cli.project}/context.json`, "utf8")).toBe('{"goal":"sort the invoices","done":12}');
  });
});
