import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { useCli } from "../testing/use-cli.ts";

const cli = useCli();

describe("workrail", () => {
  const file = (id: string): string => join(cli.dataDir, `contexts/s/${id}.json.gz`);

  beforeEach(async () => {
    for (const step of [1, 2, 3]) await cli.save({ a: step }, "--session", "s", "--id", `cp-${step}`);
  });

  it("verify and repair find no fault in an intact store", async () => {
    for (const command of ["verify", "repair"]) {
      const { code, stdout, stderr } = await cli.run([command]);
      expect({ code, stdout, stderr }).toEqual({
        code: 0,
        stdout: "Checkpoints read: 3, in sessions: 1.\nNothing is wrong.\n",
        stderr: "",
      });
    }
  });

  it("verify and repair report damage, and repair moves damaged files to quarantine", async () => {
    writeFileSync(file("cp-3"), "not gzip");
    rmSync(file("cp-1"));
    const verified = await cli.run(["verify"]);
    expect(verified.code).toBe(14);
    expect(verified.stdout).toMatchInlineSnapshot(`
      "Checkpoints read: 3, in sessions: 1.
      Faults: 2.
        damaged  cp-3: The compressed bytes are damaged: it does not begin as gzip does.
        damaged  cp-1: Its file is missing.
      \`workrail repair\` corrects what it can.
      "
    `);
    const preview = await cli.run(["repair", "--dry-run"]);
    expect(preview).toMatchObject({ code: 14, stdout: expect.stringContaining("Would be repaired: 2.") });
    expect(existsSync(file("cp-3"))).toBe(true);
    const repaired = await cli.run(["repair", "--json"]);
    expect(repaired.code).toBe(0);
    expect(JSON.parse(repaired.stdout)).toMatchObject({
      repaired: [
        { kind: "damaged", checkpointId: "cp-3" },
        { kind: "damaged", checkpointId: "cp-1" },
      ],
      left: [],
    });
    expect(readFileSync(join(cli.dataDir, "quarantine/contexts/s/cp-3.json.gz"), "utf8")).toBe("not gzip");
    for (const command of ["verify", "repair"]) {
      const { code, stdout } = await cli.run([command]);
      expect(code).toBe(14);
      expect(stdout).toContain(
        "  marked  cp-3: It was found damaged earlier, and is still damaged. Its file is missing.\n  marked  cp-1: ",
      );
    }
    expect(await cli.output(["list", "--session", "s"])).toMatch(/ STATE\n.*cp-3.* damaged\n.*cp-2 [^\n]*\n.*cp-1.* damaged\n/u);
  });

  it("load returns the newest readable checkpoint, with a warning", async () => {
    writeFileSync(file("cp-3"), "not gzip");
    for (const again of [false, true]) {
      const { code, stdout, stderr } = await cli.run(["load", "--session", "s"]);
      expect({ code, stdout }).toEqual({ code: 0, stdout: '{"a":2}' });
      expect(stderr).toMatch(
        /^(warning: a checkpoint is damaged .*\n)?warning: newer checkpoints of the session cannot be read; .*"cp-3"/u,
      );
      expect(stderr.includes("a checkpoint is damaged")).toBe(!again);
    }
    for (const [command = "", ...args] of [["show"], ["resume"], ["resume", "--depth", "view"], ["handoff"], ["diff"]]) {
      const { code, stderr } = await cli.run([command, ...args, "--session", "s"]);
      expect({ code, stderr }).toEqual({ code: 0, stderr: expect.stringMatching(/^warning: newer checkpoints .*"cp-3"/u) as string });
    }
    expect(await cli.json(["handoff", "--session", "s"])).toMatchObject({
      markdown: expect.stringContaining("- lost: a newer checkpoint of this session, which cannot be read\n"),
      fellBackFrom: [{ checkpointId: "cp-3" }],
      fellBackFromCount: 1,
    });
    const byId = await cli.run(["load", "cp-3"]);
    expect(byId).toMatchObject({ code: 14, stderr: expect.stringContaining("cp-2") });
  });
});
