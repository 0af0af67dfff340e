import { readFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { beforeEach, describe, expect, it } from "vitest";
import { useCli } from "../testing/use-cli.ts";

const cli = useCli();

interface Listed {
  readonly entries: readonly { readonly number: number; readonly action: string; readonly sessionId?: string }[];
  readonly next?: number;
}

beforeEach(async () => {
  await cli.save({ step: 1 }, "--session", "task", "--id", "first", "--agent", "ada");
  await cli.save({ step: 2 }, "--session", "task", "--id", "second");
  await cli.save({ step: 1 }, "--session", "other", "--id", "third");
});

describe("workrail audit", () => {
  it("lists events newest first, and older ones on demand", async () => {
    const { code, stdout, stderr } = await cli.run(["audit", "--limit", "2"]);
    expect(code).toBe(0);
    expect(
      stdout.split("\n").map((line) =>
        line
          .trimEnd()
          .replaceAll(/ {2,}/gu, "  ")
          .replace(/\d{4}-\S+Z/u, "<time>")
          .trimStart(),
      ),
    ).toEqual(["ROW  TIME  ACTION  CHECKPOINT  SESSION", "3  <time>  save  third  other", "2  <time>  save  second  task", ""]);
    expect(stderr).toBe("--before 2 shows older rows.\n");
    expect(await cli.output(["audit", "list", "--before", "2"])).toMatch(/ada\n$/u);
    const { entries, next } = await cli.json<Listed>(["audit", "--session", "task", "--action", "save", "--limit", "1"]);
    expect(entries).toMatchObject([{ number: 2, action: "save", sessionId: "task" }]);
    expect(next).toBe(2);
    expect(await cli.run(["audit", "--since", "2100-01-01"])).toMatchObject({
      code: 0,
      stdout: "",
      stderr: "The audit log has no matching rows.\n",
    });
    expect(await cli.run(["audit", "--action", "sav"])).toMatchObject({ code: 2, stderr: expect.stringContaining("audit-cut") as string });
  });

  it("reports by text and exit code whether the log is whole, and detects a missing end from a noted digest", async () => {
    const text = await cli.output(["audit", "verify"]);
    expect(text).toMatch(
      /^Rows read: 3, 1 to 3, from \S+Z to \S+Z\.\nThe chain is not keyed.*\nNothing is wrong\.\nEnd: 3:[0-9a-f]{32}\n$/u,
    );
    const end = text.trimEnd().split("End: ")[1] ?? "";
    expect(await cli.json(["audit", "verify", "--expect", end])).toMatchObject({ rows: 3, findings: [], head: end, isKeyed: false });
    const another = end.replace(/^3:/u, "9:");
    expect(await cli.run(["audit", "verify", "--expect", another])).toMatchObject({
      code: 14,
      stdout: expect.stringContaining("Row 9 of --expect is missing: the end was cut off.") as string,
    });
    const database = new DatabaseSync(join(cli.dataDir, "workrail.db"));
    database.exec("UPDATE audit SET agent_id = 'eve' WHERE id = 1; DELETE FROM audit WHERE id = 2");
    database.close();
    expect(await cli.run(["audit", "verify"])).toMatchObject({
      code: 14,
      stdout: expect.stringMatching(/\nRow 1 was changed or moved\.\nRow 2 is missing\.\nEnd: 3:/u) as string,
    });
  });

  it("exports JSON lines to standard output or to a new file", async () => {
    const lines = (await cli.output(["audit", "export", "--session", "task"])).trimEnd().split("\n");
    expect(lines.map((line) => JSON.parse(line) as object)).toMatchObject([
      { number: 1, action: "save", checkpointId: "first", agentId: "ada" },
      { number: 2, action: "save", checkpointId: "second" },
    ]);
    const file = (await cli.output(["audit", "export", "audit.jsonl"])).trimEnd();
    const exported = readFileSync(join(cli.project, "audit.jsonl"), "utf8");
    expect(file).toBe(join(cli.project, "audit.jsonl"));
    expect(exported.trimEnd().split("\n")).toHaveLength(5);
    expect(exported).toMatch(/"action":"export","reason":"audit-log","digest":"[0-9a-f]{32}"\}\n$/u);
    expect(await cli.run(["audit", "export", "audit.jsonl"])).toMatchObject({ code: 2 });
    expect((await cli.output(["audit", "export", "-", "--limit", "1"])).split("\n")).toHaveLength(2);
  });

  it("logs a changed setting, and warns when it cannot", async () => {
    await cli.output(["config", "set", "retentionDays", "90"]);
    expect(await cli.json<Listed>(["audit", "--limit", "1"])).toMatchObject({
      entries: [{ action: "configure", reason: "retentionDays" }],
    });
    const env = { WORKRAIL_RETENTION_DAYS: "soon" };
    const { code, stderr } = await cli.run(["config", "set", "maxDepth", "90"], { env });
    expect(code).toBe(0);
    expect(stderr).toMatch(/^warning: the audit log has no row for this change \(code: INVALID_INPUT/u);
  });
});
