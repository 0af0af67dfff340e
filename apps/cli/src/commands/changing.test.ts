import { beforeEach, describe, expect, it } from "vitest";
import { useCli } from "../testing/use-cli.ts";

const cli = useCli();

beforeEach(async () => {
  await cli.save({ goal: "ship it", notes: "x ".repeat(400), tempLog: "y" }, "--session", "task", "--id", "first");
});

describe("workrail tag", () => {
  it("adds and removes tags, and prints all tags", async () => {
    expect(await cli.output(["tag", "task", "urgent", "billing"])).toBe("urgent\nbilling\n");
    expect(await cli.output(["tag", "task", "later", "--remove", "urgent", "--remove", "none"])).toBe("billing\nlater\n");
    expect(await cli.json(["tag", "task"])).toMatchObject({ id: "task", tags: ["billing", "later"] });
    expect(await cli.run(["tag", "none", "x"])).toMatchObject({ code: 10 });
  });
});

describe("workrail pin and unpin", () => {
  it("pin an entry and unpin it", async () => {
    expect(await cli.run(["pin", "task", "notes"])).toEqual({
      code: 0,
      stdout: "",
      stderr: '"notes" is critical in this session from now on.\n',
    });
    expect(await cli.json(["unpin", "task", "notes"])).toMatchObject({ status: "SUCCESS", criticalKeys: [] });
    expect(await cli.run(["pin", "task", "none"])).toEqual({
      code: 2,
      stdout: "",
      stderr: 'INVALID_INPUT: The latest checkpoint has no key "none". Save it first.\n  `workrail show --session task` shows its keys.\n',
    });
    expect(await cli.run(["unpin", "task", "notes"])).toMatchObject({ code: 2, stderr: expect.stringContaining("Critical keys: none.") });
  });
});

describe("workrail compress and prioritize", () => {
  it("shrink a saved context, and report the result", async () => {
    const { code, stdout, stderr } = await cli.run(["compress", "--session", "task", "--budget", "120"]);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ goal: "ship it" });
    expect(stdout.length).toBeLessThan(700);
    expect(stderr).toMatch(/^\d+ tokens before, \d+ now: .*\nThe original is checkpoint first, kept until [\d-]+T[\d:.]+Z\.\n$/u);
    const { stdout: prioritized } = await cli.run(["prioritize", "--checkpoint", "first"]);
    expect(Object.keys(JSON.parse(prioritized) as object)).toEqual(["goal", "notes"]);
  });

  it("read a context from a file and from standard input, and keep it", async () => {
    cli.write("context.json", '{"goal":"other","debugLog":"z"}');
    const fromFile = await cli.json<{ checkpointId: string; context: object }>(["compress", "context.json", "--session", "task"]);
    expect(await cli.json(["show", fromFile.checkpointId])).toMatchObject({ metadata: { kind: "aside" }, context: { goal: "other" } });
    const input = '{"goal":"from a pipe","debugLog":"z"}';
    expect(JSON.parse(await cli.output(["prioritize", "--session", "task", "-"], { input }))).toEqual({ goal: "from a pipe" });
    expect(await cli.run(["compress"], { input: "[]" })).toMatchObject({ code: 2 });
  });

  it("report a possible secret in the kept original", async () => {
    const input = JSON.stringify({ goal: "g", k: ["ghp", "abcdefghijklmnopqrstuvwxyz0123456789"].join("_") });
    expect((await cli.run(["compress"], { input })).stderr).toContain(
      'This looks like a secret: github-token at context["k"]. Save the place',
    );
  });

  it("show how entries are classified, and save nothing", async () => {
    const input = '{"goal":"g","scratchpad":"s"}';
    const { stdout } = await cli.run(["prioritize", "--dry-run", "--useful", "5"], { input });
    expect(stdout).toMatch(/^KEY +LAYER +TOKENS +AFTER +OUTCOME +WHY\n/u);
    expect(stdout).toMatch(/^goal +CRITICAL +\d+ +\d+ +kept +key word "goal"$/mu);
    expect((await cli.json<{ total: number }>(["list", "--kind", "aside"])).total).toBe(0);
  });

  it("refuse unknown values", async () => {
    expect(await cli.run(["compress", "--layer", "major"])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("It must be one of CRITICAL, IMPORTANT, USEFUL, EPHEMERAL."),
    });
    expect(await cli.run(["compress", "--strategy", "zip"])).toMatchObject({ code: 2 });
  });
});

describe("workrail delete", () => {
  it("shows what would be deleted, asks, and moves it to the trash", async () => {
    await cli.save({ a: 2 }, "--session", "task", "--id", "second");
    expect((await cli.run(["delete", "second"])).stderr).toContain("Add --yes");
    expect(await cli.output(["delete", "second", "--dry-run"])).toContain("Would move to the trash: checkpoints: 1");
    expect(await cli.json(["delete", "second", "--yes"])).toMatchObject({ removed: [{ checkpointIds: ["second"], to: "trash" }] });
    expect(await cli.run(["delete", "second", "--yes"])).toMatchObject({ code: 10, stderr: expect.stringContaining("trash restore") });
    expect(await cli.run(["delete", "nosuch", "--yes"])).toMatchObject({
      code: 10,
      stderr: expect.stringContaining("There is no checkpoint nosuch"),
    });
    expect(await cli.json(["trash", "restore", "task", "seco"])).toMatchObject({ checkpointIds: ["second"] });
    expect(await cli.json(["delete", "latest", "--yes"])).toMatchObject({ removed: [{ checkpointIds: ["second"] }] });
    const erased = [
      { checkpointId: "first", sessionId: "task" },
      { checkpointId: "second", sessionId: "task" },
    ];
    const planned = await cli.json<{ erased: object[] }>(["delete", "--session", "task", "--permanently", "--dry-run"]);
    expect(planned.erased).toEqual(erased);
    const shown = await cli.output(["delete", "--session", "task", "--permanently", "--yes"]);
    expect(shown).toMatch(/^Erased: checkpoints: 2, of session task\.\nEarlier copies are not erased/u);
    expect(await cli.run(["load", "first"])).toMatchObject({ code: 10, stderr: expect.stringContaining("was erased at") });
    expect(await cli.run(["delete", "--session", "task", "--permanently", "--yes"])).toMatchObject({ code: 10 });
    expect(await cli.run(["delete", "--yes"])).toMatchObject({ code: 2 });
  });

  it("spares checkpoints tagged keep, unless an option includes them", async () => {
    await cli.output(["keep", "task"]);
    expect(await cli.json(["delete", "first", "--yes"])).toMatchObject({ removed: [], spared: [{ why: "keep" }] });
    expect(await cli.json(["delete", "first", "--yes", "--include-kept"])).toMatchObject({ removed: [{ checkpointIds: ["first"] }] });
  });
});
