import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { AUDIT_ACTIONS } from "@workrail/core";
import { openWorkrail } from "@workrail/runtime";
import { describe, expect, it } from "vitest";
import { markedBlock, plain, readPage, sectionOf, tableOf } from "./markdown.ts";

const page = readPage("docs/reference/audit-log.md");

describe("the page on the audit log", () => {
  it("lists every action, and no other", () => {
    expect(tableOf(sectionOf(page, "## Actions")).map(([action]) => plain(action))).toEqual([...AUDIT_ACTIONS]);
  });

  it("has a verifier that accepts an export and detects a change", async () => {
    const dataDir = mkdtempSync(join(tmpdir(), "workrail-audit-"));
    const store = await openWorkrail({ dataDir, env: {} });
    for (let step = 1; step <= 3; step++) await store.saveCheckpoint({ sessionId: "s", context: { step }, agentId: 'ada "ä"\n' });
    await store.cleanUp({ sessionId: "s", keepLast: 1 });
    let text = "";
    for await (const piece of store.auditText()) text += piece;
    await store.close();
    const script = join(dataDir, "verify-audit.mjs");
    writeFileSync(script, markedBlock(page, "verify-audit.mjs"));
    const verify = (input: string) => spawnSync(process.execPath, [script], { input, encoding: "utf8" });
    expect(verify(text)).toMatchObject({ stdout: "6 rows are as they were written.\n", stderr: "", status: 0 });
    expect(verify(text.replace('"reason":"manual"', '"reason":"quota"')).stderr).toContain("Row 4 is wrong.");
    rmSync(dataDir, { recursive: true, force: true });
  });
});
