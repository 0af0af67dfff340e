import { describe, expect, it } from "vitest";
import { textWidth } from "./text-width.ts";
import { useCli } from "./testing/use-cli.ts";

const cli = useCli();
const ID = "0e1d2c3b-4a59-4687-9776-655443322110";
const OTHER_ID = "0e1d2c3b-4b59-4687-9776-655443322110";
const SESSION = "c4a760a8-0b5c-4f0e-9d6a-2f9f1c1f7a10-with-a-name-that-is-longer-than-any-table";
const NAME = "割引クーポン works";

/** Commands that print tables of checkpoints or sessions, each with the ids and the session's name as they show them. */
const TABLES: readonly (readonly [command: string, ...words: readonly string[]])[] = [
  ["list", ID, OTHER_ID, SESSION],
  ["sessions", OTHER_ID, SESSION],
  ["cleanup --keep-last 1 --dry-run", SESSION],
  ["trash list", "7ea5e8b0-0000-4000-8000-000000000000", SESSION],
];

async function aStore(): Promise<void> {
  const trashed = ["--session", SESSION, "--id", "7ea5e8b0-0000-4000-8000-000000000000"];
  await cli.save({ a: 0 }, ...trashed, "--name", NAME);
  await cli.output(["delete", "7ea5e8b0-0000-4000-8000-000000000000", "--yes"]);
  for (const id of [ID, OTHER_ID]) await cli.save({ a: id }, "--session", SESSION, "--id", id, "--name", NAME, "--tag", "needs review");
}

describe("tables of checkpoints and sessions", () => {
  it.each([120, 80, 60, 40])("show age and name at %i columns, and are no wider", async (width) => {
    await aStore();
    for (const [command] of TABLES) {
      const { code, stdout } = await cli.run(command.split(" "), { env: { COLUMNS: String(width) } });
      expect([command, code]).toEqual([command, 0]);
      expect(stdout).toMatch(/^.*\bAGE\b/u);
      expect(stdout).toMatch(/\bNAME\b/u);
      expect(stdout).toContain("割引クーポ");
      // The terminal may wrap a sentence above the table.
      for (const line of stdout.split("\n").filter((each) => !each.endsWith("."))) expect(textWidth(line), line).toBeLessThanOrEqual(width);
    }
  });

  it("cut ids to 8 characters, or more where they clash, and names of sessions", async () => {
    await aStore();
    const { stdout } = await cli.run(["list"], { env: { COLUMNS: "80" } });
    const [, first, second] = stdout.split("\n");
    expect([first, second].map((line) => line?.split(" ")[0])).toEqual(["0e1d2c3b-4b", "0e1d2c3b-4a"]);
    expect(first).toMatch(/ c4a760a8-[\w-]+…/u);
    expect(first).toContain(NAME);
    const trash = await cli.output(["trash", "list"], { env: { COLUMNS: "80" } });
    expect(trash.split("\n")[1]).toMatch(/^7ea5e8b0 /u);
  });

  it("are whole when a program reads them", async () => {
    await aStore();
    for (const [command, ...words] of TABLES) {
      const stdout = await cli.output(command.split(" "));
      for (const word of [...words, NAME]) expect([command, stdout]).toEqual([command, expect.stringContaining(word)]);
    }
  });
});
