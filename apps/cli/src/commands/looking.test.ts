import { existsSync, mkdirSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { useCli } from "../testing/use-cli.ts";

const cli = useCli();

/** Replaces values that differ from run to run by their form, and layout by single gaps. */
function golden(text: string): string {
  return cli
    .normal(text)
    .replaceAll(/\b\d+(\.\d)? (B|KiB)\b/gu, "N B")
    .replaceAll(/\b\d+s\b/gu, "0s")
    .replaceAll(/(?<=\S) {2,}/gu, "  ");
}

beforeEach(async () => {
  await cli.save({ goal: "ship it", plan: ["a", "b"], notes: "one\ntwo\nthree", tempLog: "x" }, "--session", "task", "--id", "first");
  const second = { goal: "ship it now", plan: ["a", "b", "c"], notes: "one\n2\nthree", findings: { bug: "in parser" } };
  await cli.save(second, "--session", "task", "--id", "second", "--name", "the second", "--tag", "draft", "--agent", "ada");
  await cli.save({ goal: "ship it" }, "--session", "task", "--id", "third", "--parent", "first");
});

describe("workrail sessions, log, diff and stats", () => {
  it("print text for people", async () => {
    expect(golden(await cli.output(["sessions"]))).toMatchInlineSnapshot(`
      "SESSION  AGE  CHECKPOINTS  STORED  LATEST  NAME
      task  0s  3  N B  third
      "
    `);
    expect(golden(await cli.output(["log", "task"]))).toMatchInlineSnapshot(`
      "● third  0s  N B  (latest)
      │ ● second  0s  N B  the second  #draft  by ada
      ├─╯
      ● first  0s  N B
      "
    `);
    expect(golden(await cli.output(["stats"]))).toMatchInlineSnapshot(`
      "Sessions: 1, checkpoints: 3.
      Contexts: N B, stored in N B.
      Latest contexts: 6 tokens.

      PROJECT  SESSIONS  CHECKPOINTS  CONTEXTS  STORED  TOKENS
      <folder>/project  1  3  N B  N B  6

      SESSION  AGE  CHECKPOINTS  CONTEXTS  STORED  TOKENS
      task  0s  3  N B  N B  6
      "
    `);
    expect(golden(await cli.output(["diff", "first", "second"]))).toMatchInlineSnapshot(`
      "from  first  2026-01-31T12:00:00.000Z  27 tokens
      to  second  2026-01-31T12:00:00.000Z  the second  32 tokens (+5)

      goal  changed, CRITICAL, +1 tokens
        ship it{+ now+}

      plan  changed, IMPORTANT, +2 tokens
          [
            "a",
        -  "b"
        +  "b",
        +  "c"
          ]

      notes  changed, USEFUL, -1 tokens
          one
        - two
        + 2
          three

      findings  added, IMPORTANT, +6 tokens
        + {
        +  "bug": "in parser"
        + }

      tempLog  removed, EPHEMERAL, -2 tokens
        - x

      Unchanged: 0.

      LAYER  ENTRIES  TOKENS
      CRITICAL  1  4 -> 5
      IMPORTANT  1 -> 2  5 -> 13
      USEFUL  1  8 -> 7
      EPHEMERAL  1 -> 0  2 -> 0
      "
    `);
  });

  it("print the same as JSON", async () => {
    expect(await cli.json(["sessions"])).toMatchObject({
      sessions: [{ id: "task", checkpointCount: 3, latest: { id: "third", project: cli.project } }],
      total: 1,
    });
    expect(await cli.json(["log", "task"])).toMatchObject({
      headId: "third",
      checkpoints: [{ id: "third" }, { id: "second" }, { id: "first", children: ["second", "third"] }],
    });
    expect(await cli.json(["stats"])).toMatchObject({ total: { sessions: 1, checkpoints: 3 }, projects: [{ project: cli.project }] });
    const expected = {
      from: { id: "first" },
      to: { id: "third" },
      unchanged: 1,
      entries: [{ key: "plan" }, { key: "notes" }, { key: "tempLog" }],
    };
    expect(await cli.json(["diff", "first"])).toMatchObject(expected);
    expect(await cli.json(["diff", "--session", "task"])).toMatchObject(expected);
  });

  it("report omitted data", async () => {
    expect((await cli.run(["log", "task", "--limit", "1"])).stderr).toBe("Older checkpoints that are not shown: 2.\n");
    const none = await cli.run(["log", "task", "--limit", "0"]);
    expect(none).toMatchObject({ code: 2, stderr: expect.stringMatching(/^INVALID_INPUT: --limit must be .*\.\n$/u) });
    const unknown = {
      code: 10,
      stderr: "SESSION_NOT_FOUND: There is no session tsak.\n  Nearest: task.\n",
    };
    expect(await cli.run(["log", "tsak"])).toMatchObject(unknown);
    expect(await cli.run(["scan", "--session", "tsak"])).toMatchObject(unknown);
    expect(await cli.run(["sessions"], { cwd: cli.folder })).toMatchObject({
      stdout: "",
      stderr: "No session found; --all-projects includes all projects.\n",
    });
    expect(await cli.output(["sessions", "--all-projects"], { cwd: cli.folder })).toContain("task");
  });

  it.each([
    [["diff"], "Name one or two checkpoints, or a session."],
    [["diff", "first", "--session", "task"], "Name one or two checkpoints, or a session."],
    [["log"], "No session is given."],
  ])("refuse %j", async (args, message) => {
    expect(await cli.run(args)).toMatchObject({ code: 2, stderr: expect.stringContaining(`INVALID_INPUT: ${message}`) });
  });

  it("cannot compare the only checkpoint of a session", async () => {
    await cli.save({ a: 1 }, "--session", "lonely");
    expect(await cli.run(["diff", "--session", "lonely"])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("has no parent"),
    });
  });

  it("escape control characters in stored text", async () => {
    await cli.save({ "\u001b[31m": "a\u009b31m\nb" }, "--session", "odd", "--id", "odd-1", "--name", "\u001b[2J");
    await cli.save({ "\u001b[31m": "a\u009b32m\nb\u202e" }, "--session", "odd", "--id", "odd-2", "--name", "\u001b[2J");
    for (const args of [["sessions"], ["log", "odd"], ["diff", "odd-1"], ["diff", "odd-2", "first"]]) {
      // oxlint-disable-next-line no-control-regex -- these are what must not be there
      expect(await cli.output(args)).not.toMatch(/[\u001b\u009b\u202e]/u);
    }
  });
});

describe("unfinished work of an earlier process", () => {
  /** Leaves a file of an export that was interrupted long ago; the next upkeep removes it. */
  function leaveUndone(): string {
    const folder = join(cli.dataDir, "exports");
    mkdirSync(folder, { recursive: true });
    const file = join(folder, ".tmp-export-1-0000000000000000");
    writeFileSync(file, "interrupted");
    utimesSync(file, 0, 0);
    return file;
  }

  it.each([
    ["list"],
    ["audit list"],
    ["audit verify"],
    ["audit export -"],
    ["export task --output -"],
    ["verify"],
    ["cleanup --keep-last 1 --dry-run"],
    ["delete first --permanently --dry-run"],
    ["trash empty --dry-run"],
    ["repair --dry-run"],
    ["prioritize --checkpoint first --dry-run"],
  ])("is left to others by: workrail %s", async (command) => {
    const file = leaveUndone();
    await cli.output(command.split(" "));
    expect(existsSync(file)).toBe(true);
  });

  it("is finished by a command that changes something", async () => {
    const file = leaveUndone();
    await cli.output(["tag", "task", "urgent"]);
    expect(existsSync(file)).toBe(false);
  });
});
