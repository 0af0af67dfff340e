import { expect, describe, it } from "vitest";
import type { LoadCheckpointResult, SaveCheckpointResult } from "@workrail/runtime";
import { useCli } from "../testing/use-cli.ts";

const cli = useCli();
/** Not a real secret. Joined here, so that scanners do not report this file. */
const TOKEN = ["ghp", "abcdefghijklmnopqrstuvwxyz0123456789"].join("_");

function save(context: object, ...args: readonly string[]): Promise<string> {
  return cli.output(["save", ...args], { input: JSON.stringify(context) });
}

function show(id: string): Promise<Pick<LoadCheckpointResult, "metadata" | "context">> {
  return cli.json(["show", id]);
}

describe("workrail save", () => {
  it("saves a file, prints the checkpoint's id to standard output, and the rest to standard error", async () => {
    cli.write("context.json", '{"goal":"ship it"}');
    const { code, stdout, stderr } = await cli.run(["save", "context.json", "--session", "s", "--id", "cp-1"]);
    expect({ code, stdout }).toEqual({ code: 0, stdout: "cp-1\n" });
    expect(cli.normal(stderr)).toMatchInlineSnapshot(`
      "Saved in session s, stored in 999 B.
      "
    `);
  });

  it("shows how to continue a session that it created", async () => {
    const { stdout, stderr } = await cli.run(["save"], { input: "{}" });
    expect(cli.normal(stdout)).toBe("00000000-0000-4000-8000-000000000000\n");
    expect(cli.normal(stderr)).toMatchInlineSnapshot(`
      "Saved in session 00000000-0000-4000-8000-000000000000, stored in 999 B.
      The session is new; --session 00000000-0000-4000-8000-000000000000 continues it.
      "
    `);
  });

  it.each([[[]], [["-"]]])("reads standard input (%j)", async (file) => {
    await cli.output(["save", ...file, "--id", "cp-1"], { input: '{"a":1}' });
    expect(await cli.output(["load", "cp-1"])).toBe('{"a":1}');
  });

  it("prints everything about the save as JSON", async () => {
    const result = await cli.json<SaveCheckpointResult>(["save", "--session", "s", "--id", "cp-1"], { input: '{"a":1}' });
    expect(result).toEqual({
      checkpointId: "cp-1",
      sessionId: "s",
      sessionReason: "given",
      status: "SAVED",
      sizeBytes: expect.any(Number),
      parentId: null,
      createdAt: expect.stringMatching(/^\d{4}-.*Z$/u),
      contextHash: expect.stringMatching(/^[0-9a-f]{64}$/u),
      blobPath: "contexts/s/cp-1.json.gz",
      durability: "disk",
    });
  });

  it("warns of rounded integers, and names some", async () => {
    const input = `{"at":1732379877123456789,"ids":[${Array.from({ length: 9 }, (_, index) => `900719925474099${index}`).join(",")}]}`;
    const { code, stderr } = await cli.run(["save", "--session", "s"], { input });
    expect({ code, stderr: cli.normal(stderr) }).toMatchInlineSnapshot(`
      {
        "code": 0,
        "stderr": "warning: integers too long for a number were rounded (count: 4, integers: ["1732379877123456789","9007199254740993","9007199254740995","9007199254740997"])
        Put them in quotation marks: strings stay exact.
      Saved in session s, stored in 999 B.
      ",
      }
    `);
    const { stderr: lines } = await cli.run(["save", "--session", "s", "--json"], { input });
    expect(JSON.parse(lines)).toMatchObject({ warning: { details: { count: 4 } } });
  });

  it("saves the values of its options", async () => {
    const labels = ["--name", "before", "--tag", "a", "--tag", "b", "--metadata", '{"ticket":{"n":7},"name":"unused"}'];
    await save({ a: 1 }, "--session", "s", "--id", "cp-1", "--workflow", "w", "--agent", "me", ...labels);
    expect((await show("cp-1")).metadata).toMatchObject({
      id: "cp-1",
      sessionId: "s",
      workflowId: "w",
      agentId: "me",
      name: "before",
      tags: ["a", "b"],
      attributes: { ticket: { n: 7 } },
      project: cli.project,
    });
  });

  it("reports a skipped save, and saves with --force", async () => {
    await save({ a: 1, b: 2 }, "--session", "s", "--id", "cp-1");
    const again = ["save", "--session", "s", "--name", "new", "--tag", "t", "--metadata", '{"x":1}'];
    const { code, stdout, stderr } = await cli.run(again, { input: '{"b":2,"a":1}' });
    expect({ code, stdout }).toEqual({ code: 0, stdout: "cp-1\n" });
    expect(stderr).toMatchInlineSnapshot(`
      "Nothing has changed in session s since this checkpoint, so nothing was saved; --force saves it anyway.
      Different but not saved: name, tags, metadata, keyOrder.
      "
    `);
    expect(await cli.json(["save", "--session", "s", "--force"], { input: '{"b":2,"a":1}' })).toMatchObject({
      status: "SAVED",
      parentId: "cp-1",
    });
  });

  it("names ignored metadata, and checkpoints removed to make room", async () => {
    await save({ a: 1 }, "--session", "s");
    const { stderr } = await cli.run(["save", "--session", "s", "--metadata", '{"kind":"x","sequence":9}'], {
      input: '{"a":2}',
      env: { WORKRAIL_MAX_CHECKPOINTS: "1" },
    });
    expect(cli.normal(stderr)).toMatchInlineSnapshot(`
      "Saved in session s, stored in 999 B.
      Ignored in --metadata, because Workrail sets them: kind, sequence.
      Checkpoints removed from the session because it was full: 1.
      "
    `);
  });

  it("reports where a possible secret is, and how it was treated", async () => {
    const input = JSON.stringify({ k: TOKEN });
    const warned = await cli.run(["save", "--session", "s"], { input });
    expect(warned.stderr).toContain('This looks like a secret: github-token at context["k"]. Save the place of the secret instead');
    const redacted = await cli.run(["save", "--session", "s", "--secrets", "redact"], { input });
    expect(redacted.stderr).toContain('Replaced, because it looks like a secret: github-token at context["k"].');
    expect(`${warned.stderr}${redacted.stderr}`).not.toContain(TOKEN);
  });

  it("continues from any checkpoint", async () => {
    await save({ a: 1 }, "--session", "s", "--id", "cp-1");
    await save({ a: 2 }, "--session", "s", "--id", "cp-2");
    await save({ a: 3 }, "--session", "fork", "--id", "cp-3", "--parent", "cp-1");
    expect((await show("cp-3")).metadata).toMatchObject({ parentId: "cp-1", sessionId: "fork" });
  });

  it.each([["-"], ["changes.json"]])("saves a patch from %s, and reports its effect", async (source) => {
    await save({ goal: "ship it", plan: [1, 2, 3], log: ["a"], draft: true }, "--session", "s", "--id", "cp-1");
    const patch = '{"set":{"plan":[3]},"append":{"log":["b"]},"remove":["draft","nothing"]}';
    cli.write("changes.json", patch);
    const { code, stdout, stderr } = await cli.run(["save", "--session", "s", "--id", "cp-2", "--patch", source], { input: patch });
    expect({ code, stdout }).toEqual({ code: 0, stdout: "cp-2\n" });
    expect(cli.normal(stderr)).toMatchInlineSnapshot(`
      "Saved in session s, stored in 999 B.
      Changed cp-1: set plan; appended 1 to log; removed draft; kept 1 entries.
      Replaced plan: 3 items -> 1.
      Not removed, because missing: nothing.
      Entries of the parent that are missing in this state: draft.
      "
    `);
    expect(await cli.output(["load", "cp-2"])).toBe('{"goal":"ship it","plan":[3],"log":["a","b"]}');
  });

  it("warns of entries that the parent had and the state lacks", async () => {
    await save({ goal: "ship it", step: 1 }, "--session", "s");
    const { stderr } = await cli.run(["save", "--session", "s"], { input: '{"step":2}' });
    expect(stderr).toContain("Entries of the parent that are missing in this state: goal.");
    expect(stderr).toContain("CRITICAL: goal");
    const empty = await cli.run(["save", "--session", "s"], { input: "{}" });
    expect(empty).toMatchObject({ code: 2, stderr: expect.stringContaining("context is empty") });
  });

  it("takes a state or a patch, but not both", async () => {
    cli.write("context.json", "{}");
    const { code, stderr } = await cli.run(["save", "context.json", "--patch", "-"], { input: "{}" });
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining("not both.") });
    const none = await cli.run(["save", "--session", "typo", "--patch", "-"], { input: '{"set":{"a":1}}' });
    expect(none).toMatchObject({ code: 10, stderr: expect.stringContaining("A patch never starts a session") });
  });

  it("saves only on the expected parent", async () => {
    await save({ a: 1 }, "--session", "s", "--id", "cp-1", "--expect-new");
    await save({ a: 2 }, "--session", "s", "--id", "cp-2", "--expect-parent", "cp-1");
    const late = await cli.run(["save", "--session", "s", "--expect-parent", "cp-1"], { input: '{"a":3}' });
    expect(late).toMatchInlineSnapshot(`
      {
        "code": 16,
        "stderr": "CONFLICT: The session's latest checkpoint is not the expected one: another client saved meanwhile. Changed since: a.
        Load the latest checkpoint, merge your changes into it, and save with its id as --expect-parent.
      ",
        "stdout": "",
      }
    `);
    expect((await cli.run(["save", "--session", "s", "--expect-new"], { input: '{"a":3}' })).code).toBe(16);
  });

  it("can be repeated under a given id", async () => {
    await save({ a: 1 }, "--session", "s", "--id", "cp-1");
    expect(await save({ a: 1 }, "--session", "s", "--id", "cp-1")).toBe("cp-1\n");
    expect((await cli.run(["save", "--session", "s", "--id", "cp-1"], { input: '{"a":2}' })).code).toBe(16);
  });

  it("finds the session of a workflow by its first context", async () => {
    const first = await cli.json<SaveCheckpointResult>(["save", "--workflow", "w"], { input: '{"goal":1}' });
    const again = await cli.json<SaveCheckpointResult>(["save", "--workflow", "w"], { input: '{"goal":1}' });
    expect(again).toMatchObject({ sessionId: first.sessionId, sessionReason: "derived", status: "SKIPPED_UNCHANGED" });
  });

  it.each([
    ["text that is not JSON", '{\n  "a": 1,\n}', { line: 3, column: 1 }],
    ["text that ends too early", '{\n  "a": [1', { line: 2, column: 10 }],
    ["no text", "", { line: 1, column: 1 }],
  ])("names the position of %s", async (_what, input, details) => {
    const { code, stdout, stderr } = await cli.run(["save", "--json"], { input });
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(JSON.parse(stderr)).toMatchObject({ error: { code: "INVALID_INPUT", details } });
    const { message } = (JSON.parse(stderr) as { error: { message: string } }).error;
    expect(message).toContain(`(line ${details.line} column ${details.column})`);
  });

  it.each([
    ["an array", "[1]"],
    ["a number that is too large", '{"a":1e400}'],
    ["bytes that are no UTF-8", Uint8Array.of(0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d)],
    ["values nested too deep", `{"a":${"[".repeat(200)}${"]".repeat(200)}}`],
  ])("refuses %s", async (_what, input) => {
    const { code, stdout, stderr } = await cli.run(["save"], { input });
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toMatch(/^INVALID_INPUT: .+\n {2}.+\n$/u);
  });

  it.each(["missing.json", "."])("refuses a file that cannot be read (%s)", async (file) => {
    const { code, stderr } = await cli.run(["save", file]);
    expect(code).toBe(2);
    expect(stderr).toContain(`INVALID_INPUT: The context cannot be read from ${file}: it `);
  });
});
