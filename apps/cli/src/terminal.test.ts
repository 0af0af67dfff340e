import { existsSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { useCli } from "./testing/use-cli.ts";

const cli = useCli();
/** The program that runs another one in a terminal of its own; that of Linux takes the command as an option. */
const hasTerminal = process.platform === "linux" && existsSync("/usr/bin/script");

async function inTerminal(command: string, env: Readonly<Record<string, string>> = {}): Promise<string> {
  // Node takes a terminal on a build server, which `CI` tells it of, for one without colours.
  const line = `env -u CI '${process.execPath}' '${cli.launcher}' ${command}`;
  const { stdout } = await cli.shell(`script -qec "stty cols 76; ${line}" /dev/null`, { TERM: "xterm-256color", ...env });
  return stdout.replaceAll("\r\n", "\n");
}

describe.skipIf(!hasTerminal)("on a terminal (skipped where `script` of util-linux is missing)", () => {
  it("fits a table into it", async () => {
    await cli.save({ a: 1 }, "--session", "s", "--id", "cp-1", "--name", "a name that is too long to be shown whole in so little room");
    const table = await inTerminal("list", { NO_COLOR: "1" });
    expect(table).toMatch(/^CHECKPOINT {2}AGE {3}SIZE {2}SESSION {2}NAME\ncp-1 .* a name that is too long to be shown.*…\n$/u);
    for (const line of table.split("\n")) expect(line.length).toBeLessThanOrEqual(76);
  });

  it("uses colours, unless they are not wanted", async () => {
    await cli.save({ a: 1 }, "--session", "s", "--id", "cp-1");
    for (const command of ["list", "show cp-1", "load none"]) {
      expect(await inTerminal(command)).toContain("\u001b[");
      expect(await inTerminal(command, { NO_COLOR: "1" })).not.toContain("\u001b[");
    }
  });

  it("shows a context so that it obeys nothing in it", async () => {
    await cli.save({ a: "x\u009b31m\u202ey" }, "--id", "cp-1");
    expect(await inTerminal("load cp-1")).toBe('{"a":"x\\u009b31m\\u202ey"}\n');
    expect(await cli.output(["load", "cp-1"])).toBe('{"a":"x\u009b31m\u202ey"}');
  });

  it("does not wait for a context that nobody types", async () => {
    expect(await inTerminal("save", { NO_COLOR: "1" })).toMatch(/^INVALID_INPUT: There is no context to save\.\n {2}Name a file .+\n$/u);
  });
});
