import { randomBytes } from "node:crypto";
import { existsSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { useCli } from "./testing/use-cli.ts";

const cli = useCli();
/** True when `script` can run a command in a terminal. Only the Linux version takes the command as an option. */
const hasTerminal = process.platform === "linux" && existsSync("/usr/bin/script");

/** @param answer typed by the person at the terminal. */
async function inTerminal(command: string, env: Readonly<Record<string, string>> = {}, answer = ""): Promise<string> {
  // On a build server, where `CI` is set, Node disables colours.
  const line = `env -u CI '${process.execPath}' '${cli.launcher}' ${command}`;
  const typed = answer === "" ? "" : `echo ${answer} | `;
  const { stdout } = await cli.shell(`${typed}script -qec "stty cols 76; ${line}" /dev/null`, { TERM: "xterm-256color", ...env });
  return stdout.replaceAll("\r\n", "\n");
}

/** Returns commands that take long in a large store, each with its progress lines. Each command needs the result of the previous one. */
async function longWork(): Promise<readonly (readonly [command: string, ...lines: readonly string[]])[]> {
  for (const goal of ["one", "two", "three", "four"]) await cli.save({ goal }, "--session", "s");
  await cli.save({ goal: "other" }, "--session", "t");
  for (const name of ["one", "two"]) writeFileSync(join(cli.folder, name), randomBytes(32).toString("hex"), { mode: 0o600 });
  return [
    ["verify", "Checkpoints read: 5 of 5"],
    ["repair", "Checkpoints read: 5 of 5"],
    ["rebuild", "Files read: 5 of 5"],
    ["stats", "Sessions counted: 2 of 2"],
    ["scan", "Checkpoints scanned: 5 of 5"],
    ["export s --output ../s.json", "Checkpoints written: 4 of 4"],
    ["export --all --output ../exports", "Checkpoints written: 5 of 5"],
    ["backup ../backup", "Files copied: 5 of 5", "Files read back: 5 of 5"],
    ["import ../s.json --data-dir ../imported", "Verifying: 100 %", "Importing: 100 %"],
    ["import ../exports --data-dir ../imported", "Verifying file 1 of 2: 100 %", "Importing file 2 of 2: 100 %"],
    ["import ../s.json --data-dir ../imported --dry-run", "Verifying: 100 %"],
    ["restore ../backup --data-dir ../restored", "Files checked: 7 of 7", "Files copied: 7 of 7", "Files read back: 5 of 5"],
    ["restore ../backup --yes", "Files checked: 7 of 7", "Files copied: 7 of 7", "Files read back: 5 of 5"],
    ["copy --to ../copied", "Files compared: 5 of 5"],
    ["sync --to ../pushed", "Checkpoints compared: 5 of 5"],
    ["upkeep --verify", "Sessions compacted: 2 of 2", "Checkpoints read: 5 of 5"],
    ["cleanup --session s --keep-last 1 --yes", "Checkpoints removed: 3 of 3"],
    // Background work may remove some of the files.
    ["trash empty --yes", "Checkpoints removed: 3 of 3"],
    ["delete --session t --yes", "Checkpoints removed: 1 of 1"],
    ["encrypt --encryption-key-file ../one", "Files sealed: 2 of 2"],
    ["rekey --deep --encryption-key-file ../one --new-key-file ../two", "Resealed files: 2 of 2"],
    ["encrypt --off --encryption-key-file ../two", "Files unsealed: 2 of 2"],
  ];
}

it("shows no progress when the output is not a terminal", async () => {
  for (const [command] of await longWork()) {
    const { code, stdout, stderr } = await cli.run(command.split(" "));
    expect([command, code]).toEqual([command, 0]);
    for (const drawn of ["\r", "\u001b"]) expect(stdout + stderr).not.toContain(drawn);
  }
});

describe.skipIf(!hasTerminal)("on a terminal (skipped where `script` of util-linux is missing)", () => {
  it("fits a table into the width", async () => {
    await cli.save({ a: 1 }, "--session", "s", "--id", "cp-1", "--name", "a name that is too long to be shown whole in so little room");
    const table = await inTerminal("list", { NO_COLOR: "1" });
    expect(table).toMatch(/^CHECKPOINT {2}AGE {2}STORED {2}SESSION {2}NAME\ncp-1 .* a name that is too long to be shown.*…\n$/u);
    for (const line of table.split("\n")) expect(line.length).toBeLessThanOrEqual(76);
  });

  it("uses colours, unless they are turned off", async () => {
    await cli.save({ a: 1 }, "--session", "s", "--id", "cp-1");
    expect(await inTerminal("list")).toContain("\u001b[");
    expect(await inTerminal("list", { NO_COLOR: "1" })).not.toContain("\u001b[");
  });

  it("escapes control characters of a context", async () => {
    await cli.save({ a: "x\u009b31m\u202ey" }, "--id", "cp-1");
    expect(await inTerminal("load cp-1")).toBe('{"a":"x\\u009b31m\\u202ey"}\n');
    expect(await cli.output(["load", "cp-1"])).toBe('{"a":"x\u009b31m\u202ey"}');
  });

  it("does not wait for a context from the keyboard", async () => {
    expect(await inTerminal("save", { NO_COLOR: "1" })).toMatch(/^INVALID_INPUT: There is no context to save\.\n {2}Name a file .+\n$/u);
  });

  it("shows checkpoints, changes, errors and faults in colours", async () => {
    await cli.save({ goal: "one" }, "--session", "s", "--id", "cp-1");
    await cli.save({ goal: "two" }, "--session", "s", "--id", "cp-2");
    const shown = async (command: string, hasColours: boolean): Promise<string> => {
      const { stdout, stderr } = await cli.run(command.split(" "), { columns: 76, hasColours });
      return stdout + stderr;
    };
    for (const command of ["show cp-1", "load none", "diff cp-1 cp-2", "log s", "doctor"]) {
      // Lines of progress are removed by other codes.
      expect(await shown(command, true)).toMatch(/\[\d+m/u);
      expect(await shown(command, false)).not.toMatch(/\[\d+m/u);
    }
  });

  it("shows progress of long work in a line that is removed afterwards", async () => {
    for (const [command, ...shown] of await longWork()) {
      const { stderr: output } = await cli.run(command.split(" "), { columns: 76 });
      for (const line of shown) {
        expect(output).toContain(`\r${line}\u001b[K`);
        expect(output.lastIndexOf("\r\u001b[K")).toBeGreaterThan(output.lastIndexOf(line));
      }
    }
  });

  it("shows progress of rebuilding a lost catalog in every command", async () => {
    for (const goal of ["one", "two"]) await cli.save({ goal }, "--session", "s");
    rmSync(join(cli.dataDir, "workrail.db"));
    const output = await inTerminal("list", { NO_COLOR: "1" });
    expect(output).toContain("\rRebuilding the catalog, files read: 2 of 2\u001b[K");
    expect(output).toContain("\r\u001b[Kwarning: the catalog was lost or damaged, and has been rebuilt from the files");
    expect(output.split("\u001b[K").at(-1)).toMatch(/^CHECKPOINT /u);
    expect(await inTerminal("list", { NO_COLOR: "1" })).not.toContain("\u001b");
  });

  it("asks before it removes, and accepts only a plain yes", async () => {
    await cli.save({ goal: "one" }, "--session", "s", "--id", "cp-1");
    expect(await inTerminal("delete cp-1", { NO_COLOR: "1" }, "yesterday")).toMatch(
      /Would move to the trash: checkpoints: 1, .*Continue\? \[y\/N\].*Nothing was removed\./su,
    );
    expect(await inTerminal("delete cp-1", { NO_COLOR: "1" }, "y")).toContain("Moved to the trash: checkpoints: 1");
  });
});
