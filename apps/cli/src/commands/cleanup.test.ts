import { PassThrough } from "node:stream";
import { globSync } from "node:fs";
import { beforeEach, describe, expect, it } from "vitest";
import { parseDuration } from "../parse-option.ts";
import { confirm } from "../remove-after-asking.ts";
import { useCli } from "../testing/use-cli.ts";

const cli = useCli();

/** Replaces sizes, which depend on zlib's output. */
function withoutSizes(text: string): string {
  return cli.normal(text).replaceAll(/[\d.]+ (k?B)\b/gu, (size) => "9".padStart(size.length - 2).concat(" B"));
}

async function live(): Promise<readonly string[]> {
  const { checkpoints } = await cli.json<{ checkpoints: { id: string }[] }>(["list", "--all-projects"]);
  return checkpoints.map(({ id }) => id).toSorted();
}

async function trashed(): Promise<readonly string[]> {
  const { entries } = await cli.json<{ entries: { id: string }[] }>(["trash", "list"]);
  return entries.map(({ id }) => id);
}

beforeEach(async () => {
  await cli.save({ a: 1 }, "--session", "s", "--id", "s-1", "--name", "first");
  await cli.save({ a: 2 }, "--session", "s", "--id", "s-2");
  await cli.save({ b: 1 }, "--session", "t", "--id", "t-1");
});

describe("workrail cleanup", () => {
  it("lists the removals of a dry run, and changes nothing", async () => {
    const { code, stdout, stderr } = await cli.run(["cleanup", "--session", "s", "--dry-run"]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toMatch(
      /^SESSION +AGE +CHECKPOINTS +STORED +TO +WHY +NAME\ns +\d+[sm] +2 +\d+ B +trash +requested\nWould move to the trash: checkpoints: 2, stored in \d+ B\.\n$/u,
    );
    expect(await live()).toEqual(["s-1", "s-2", "t-1"]);
  });

  it("moves the selected checkpoints to the trash", async () => {
    expect(await cli.output(["cleanup", "--keep-last", "1", "--yes"])).toContain("Moved to the trash: checkpoints: 1,");
    expect([await live(), await trashed()]).toEqual([["s-2", "t-1"], ["s-1"]]);
  });

  it("removes checkpoints and files with --permanently", async () => {
    await cli.output(["cleanup", "--session", "s", "--permanently", "--yes"]);
    expect([await live(), await trashed()]).toEqual([["t-1"], []]);
    expect(globSync("contexts/*/*.json.gz", { cwd: cli.dataDir })).toHaveLength(1);
  });

  it("selects by the time of the last use, and by project", async () => {
    expect(await cli.json(["cleanup", "--older-than", "1h", "--yes"])).toMatchObject({ dryRun: false, removed: [] });
    expect(await cli.json(["cleanup", "--project", cli.folder, "--yes"])).toMatchObject({ removed: [] });
    expect(await cli.json(["cleanup", "--older-than", "0m", "--project", cli.project, "--dry-run"])).toMatchObject({
      dryRun: true,
      removed: [{ sessionId: "s", checkpointIds: ["s-1", "s-2"] }, { sessionId: "t" }],
    });
  });

  it("applies the store's own policy without a selection", async () => {
    expect(await cli.output(["cleanup", "--yes"])).toBe("There is nothing to remove.\n");
    const report = await cli.json(["cleanup", "--yes"], { env: { WORKRAIL_CLEANUP_FROM_PERCENT: "1", WORKRAIL_MAX_TOTAL_BYTES: "30000" } });
    expect(report).toMatchObject({ removed: [{ sessionId: "s", reason: "quota", to: "nowhere" }] });
    expect(await live()).toEqual(["t-1"]);
  });

  it("asks before a removal, and fails without a terminal", async () => {
    expect(await cli.run(["cleanup", "--session", "s"])).toMatchObject({
      code: 2,
      stdout: "",
      stderr: expect.stringMatching(/^INVALID_INPUT: .*no terminal to ask.*\n {2}Add --yes/u),
    });
    expect(await live()).toEqual(["s-1", "s-2", "t-1"]);
  });

  it("keeps and reports checkpoints tagged keep, unless --include-kept is set", async () => {
    await cli.output(["keep", "s"]);
    await cli.save({ c: 1 }, "--session", "t", "--id", "t-2", "--tag", "keep");
    const shown = await cli.output(["cleanup", "--older-than", "0m", "--yes"]);
    expect(shown).toContain("Kept: checkpoints: 2, of session s (tagged keep).\n");
    expect(await live()).toEqual(["s-1", "s-2", "t-2"]);
    await cli.output(["cleanup", "--older-than", "0m", "--include-kept", "--yes"]);
    expect(await live()).toEqual([]);
  });

  it.each([
    [["--older-than", "soon"], "7d"],
    [["--permanently", "--yes"], "Nothing was selected"],
    [["--keep-last", "0", "--yes"], "keepLast"],
  ])("refuses %o", async (args, message) => {
    expect(await cli.run(["cleanup", ...args])).toMatchObject({ code: 2, stderr: expect.stringContaining(message) });
  });
});

describe("workrail trash", () => {
  it("lists its checkpoints, and restores one exactly", async () => {
    await cli.output(["cleanup", "--session", "s", "--yes"]);
    const shown = withoutSizes(await cli.output(["trash", "list"]));
    expect(shown).toMatch(/^CHECKPOINT +AGE +TRASHED +STORED +SESSION +NAME\ns-1 +\S+ +\S+ +9 B +s +first\ns-2 +\S+ +\S+ +9 B +s\n$/u);
    expect(await cli.output(["trash", "restore", "s", "s-1"])).toBe("s-1\n");
    expect(await cli.json(["trash", "restore", "s"])).toEqual({ sessionId: "s", checkpointIds: ["s-2"] });
    expect(await cli.output(["load", "--session", "s"])).toBe('{"a":2}');
    expect(await cli.run(["trash", "list"])).toEqual({ code: 0, stdout: "", stderr: "There is nothing in the trash.\n" });
  });

  it("fails to restore when it is empty", async () => {
    expect(await cli.run(["trash", "restore", "s"])).toMatchObject({ code: 10, stderr: expect.stringContaining("CHECKPOINT_NOT_FOUND") });
  });

  it("is emptied for one session or for all", async () => {
    await cli.output(["cleanup", "--older-than", "0m", "--yes"]);
    expect(await cli.json(["trash", "empty", "--dry-run"])).toMatchObject({ removed: [{ sessionId: "s" }, { sessionId: "t" }] });
    expect(await cli.run(["trash", "empty"])).toMatchObject({ code: 2 });
    await cli.output(["trash", "empty", "--session", "t", "--yes"]);
    expect(await trashed()).toEqual(["s-1", "s-2"]);
    expect(await cli.output(["trash", "empty", "--yes"])).toContain("Removed for good: checkpoints: 2,");
    expect(globSync("contexts/*/*.json.gz", { cwd: cli.dataDir })).toEqual([]);
  });
});

describe("workrail keep", () => {
  it("keeps a session, or releases it again", async () => {
    expect(await cli.json(["keep", "s"])).toMatchObject({ id: "s", tags: ["keep"], checkpointCount: 2 });
    expect(await cli.run(["keep", "s", "--off"])).toEqual({ code: 0, stdout: "", stderr: "Session s is no longer kept.\n" });
    expect(await cli.json(["keep", "s", "--off"])).not.toHaveProperty("tags");
    expect(await cli.run(["keep", "unknown"])).toMatchObject({ code: 10 });
  });
});

describe("confirm", () => {
  it.each([
    ["y\n", true],
    ["Yes \n", true],
    ["\n", false],
    ["no\n", false],
    ["yesterday\n", false],
    ["", false],
  ])("reads %j as %s", async (answer, expected) => {
    const input = new PassThrough();
    input.end(answer);
    expect(await confirm("Go on?", input, new PassThrough())).toBe(expected);
  });
});

describe("parseDuration", () => {
  it.each([
    ["30m", 1_800_000],
    ["12h", 43_200_000],
    ["7d", 604_800_000],
    ["2w", 1_209_600_000],
  ])("reads %s as %d milliseconds", (text, milliseconds) => {
    expect(parseDuration(text)).toBe(milliseconds);
  });

  it.each(["", "7", "d", "1.5d", "-1d", "7 d", "1y", "7d3h"])("refuses %j", (text) => {
    expect(() => parseDuration(text)).toThrow("such as 7d");
  });
});
