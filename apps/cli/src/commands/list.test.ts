import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { FindCheckpointsResult } from "@workrail/runtime";
import { beforeEach, describe, expect, it } from "vitest";
import { useCli } from "../testing/use-cli.ts";

const cli = useCli();

describe("workrail list", () => {
  beforeEach(async () => {
    await cli.save({ a: 1 }, "--session", "docs", "--id", "cp-1", "--name", "first draft", "--tag", "draft", "--agent", "me");
    await cli.save({ a: 2 }, "--session", "docs", "--id", "cp-2", "--workflow", "w", "--metadata", '{"topic":"release notes"}');
    await cli.save({ a: 3 }, "--session", "code", "--id", "cp-3", "--name", "日本語 \u001b[31mred\u202e", "--tag", "draft", "--tag", "hot");
  });

  async function ids(...args: readonly string[]): Promise<readonly string[]> {
    const { checkpoints } = await cli.json<FindCheckpointsResult>(["list", ...args]);
    return checkpoints.map(({ id }) => id);
  }

  it("prints a table, newest first", async () => {
    const { code, stdout, stderr } = await cli.run(["list"]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(cli.normal(stdout)).toMatchInlineSnapshot(`
      "CHECKPOINT  AGE  STORED  SESSION  NAME                        TAGS
      cp-3         0s   999 B  code     日本語 \\u001b[31mred\\u202e  draft, hot
      cp-2         0s   999 B  docs
      cp-1         0s   999 B  docs     first draft                 draft
      "
    `);
  });

  it("shows the readable name of a session with a generated id to people, and its id to programs", async () => {
    await cli.save({ goal: "let customers use coupons" });
    const shown = await cli.run(["list", "--limit", "1"], { env: { COLUMNS: "80" } });
    expect(shown.stdout).toMatch(/ let customers use coupons$/mu);
    const read = await cli.run(["list", "--limit", "1"]);
    expect(read.stdout).toMatch(/  [\da-f]{8}-[\da-f-]{27}$/mu);
    for (const command of ["sessions", "resume"]) {
      for (const COLUMNS of ["40", "80"]) {
        expect((await cli.run([command], { env: { COLUMNS } })).stdout).toMatch(/let customers/u);
      }
    }
  });

  it("prints the whole page as JSON", async () => {
    const page = await cli.json<FindCheckpointsResult>(["list", "--session", "docs", "--limit", "1"]);
    expect(page).toMatchObject({ checkpoints: [{ id: "cp-2", attributes: { topic: "release notes" } }], total: 2, limit: 1, offset: 0 });
    expect(page).toMatchObject({ session: { id: "docs", checkpointCount: 2 }, durability: "disk" });
  });

  it("finds by every filter, and by several at once", async () => {
    expect(await ids("--session", "docs")).toEqual(["cp-2", "cp-1"]);
    expect(await ids("--tag", "draft")).toEqual(["cp-3", "cp-1"]);
    expect(await ids("--tag", "draft", "--tag", "hot")).toEqual(["cp-3"]);
    expect(await ids("--name", "first draft")).toEqual(["cp-1"]);
    expect(await ids("--query", "release")).toEqual(["cp-2"]);
    expect(await ids("--workflow", "w")).toEqual(["cp-2"]);
    expect(await ids("--agent", "me")).toEqual(["cp-1"]);
    expect(await ids("--since", "2999-01-01")).toEqual([]);
    expect(await ids("--until", "2999-01-01", "--limit", "1")).toEqual(["cp-3"]);
    expect(await ids("--until", "2001-01-01")).toEqual([]);
    expect(await ids("--kind", "workflow", "--offset", "2")).toEqual(["cp-1"]);
    expect(await ids("--kind", "project")).toEqual([]);
  });

  it("shows the project of the working directory, or all projects", async () => {
    const other = join(cli.folder, "other");
    mkdirSync(other);
    await cli.output(["save", "--session", "elsewhere", "--id", "cp-4"], { input: "{}", cwd: other });
    expect(await ids()).not.toContain("cp-4");
    expect(await ids("--session", "elsewhere")).toEqual(["cp-4"]);
    expect(await ids("--all-projects")).toHaveLength(4);
    expect(cli.normal(await cli.output(["list", "--all-projects"]))).toMatchInlineSnapshot(`
      "CHECKPOINT  AGE  STORED  SESSION    NAME                        TAGS        PROJECT
      cp-4         0s   999 B  elsewhere                                          <folder>/other
      cp-3         0s   999 B  code       日本語 \\u001b[31mred\\u202e  draft, hot  <folder>/project
      cp-2         0s   999 B  docs                                               <folder>/project
      cp-1         0s   999 B  docs       first draft                 draft       <folder>/project
      "
    `);
  });

  it("shows how to get the next page", async () => {
    const first = await cli.run(["list", "--limit", "2"]);
    expect(first.stderr).toBe("1 to 2 of 3; --offset 2 shows the next.\n");
    const last = await cli.run(["list", "--limit", "2", "--offset", "2"]);
    expect(last.stderr).toBe("");
    const beyond = await cli.run(["list", "--offset", "5"]);
    expect(beyond).toEqual({ code: 0, stdout: "", stderr: "There are only 3.\n" });
  });

  it("reports an empty result, and where else to look", async () => {
    const nothing = { code: 0, stdout: "" };
    expect(await cli.run(["list", "--tag", "none"])).toEqual({
      ...nothing,
      stderr: "No checkpoint found; --all-projects includes all projects.\n",
    });
    expect(await cli.run(["list", "--session", "none"])).toEqual({ ...nothing, stderr: "No checkpoint found.\n" });
    expect(await cli.json(["list", "--session", "none"])).toMatchObject({ checkpoints: [], total: 0 });
  });
});

it.each([
  ["--limit", "many"],
  ["--limit", "101"],
  ["--offset", "-1"],
  ["--since", "yesterday"],
  ["--kind", "other"],
])("workrail list refuses %s %s", async (...args) => {
  const { code, stdout, stderr } = await cli.run(["list", ...args]);
  expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
  expect(stderr).toMatch(/^INVALID_INPUT: .+/u);
});
