import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openWorkrail } from "@workrail/runtime";
import { expect, it } from "vitest";
import { answerCall } from "./calls.ts";
import type { Resumed } from "./resume.ts";

it("tells shortened entries from whole ones, also when the answer has no room for their names", async () => {
  const folder = mkdtempSync(join(tmpdir(), "workrail-page-resume-"));
  try {
    await using store = await openWorkrail({ dataDir: join(folder, "data"), cwd: folder, env: {} });
    const items = (what: string): string[] =>
      Array.from({ length: 40 }, (_, at) => `${what} ${at} of the harbour office is written down here`);
    const context = {
      goal: "Move the ferry timetable",
      decisions: items("decision"),
      constraints: items("constraint"),
      log: items("line"),
    };
    await store.saveCheckpoint({ sessionId: "s", checkpointId: "c", context });
    const ports = { store, project: undefined, mayWrite: false, now: () => new Date() };
    const resumed = (await answerCall(ports, "resume", { checkpointId: "c", depth: "view", budgetTokens: 260 })) as Resumed;
    const { shortened } = JSON.parse(resumed.text) as { shortened: { count: number; entries: readonly unknown[] } };
    expect(shortened.entries.length).toBeLessThan(shortened.count);
    expect(resumed).toMatchObject({ whole: ["goal"] });
    expect(resumed.shortened?.map(({ key }) => key).sort()).toEqual(["constraints", "decisions"]);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
