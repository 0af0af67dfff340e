import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { devNull, tmpdir } from "node:os";
import { join } from "node:path";
import { openWorkrail } from "@workrail/runtime";
import { expect, it } from "vitest";
import { answerCall } from "./calls.ts";

function git(directory: string, ...args: readonly string[]): void {
  const kept = Object.entries(process.env).filter(([name]) => !/^GIT_/iu.test(name));
  const env = { ...Object.fromEntries(kept), GIT_CONFIG_GLOBAL: devNull, GIT_CONFIG_NOSYSTEM: "1" };
  execFileSync("git", ["-c", "user.name=A", "-c", "user.email=a@example.com", ...args], { cwd: directory, env, stdio: "ignore" });
}

it("reports what happened in the repository since a checkpoint, and nothing outside of one", async () => {
  const folder = mkdtempSync(join(tmpdir(), "workrail-drift-"));
  try {
    const root = join(folder, "shop");
    git(folder, "init", "--quiet", "--initial-branch=main", root);
    git(root, "commit", "--quiet", "--allow-empty", "--message=first");
    await using store = await openWorkrail({ dataDir: join(folder, "data"), cwd: root, env: {} });
    const ask = (checkpointId: string): Promise<unknown> =>
      answerCall({ store, project: root, mayWrite: false, now: () => new Date() }, "drift", { checkpointId });
    await store.saveCheckpoint({ sessionId: "s", checkpointId: "inside", context: { goal: "ship" } });
    expect(await ask("inside")).toMatchObject({ relation: "same" });
    const timeline = await answerCall({ store, project: root, mayWrite: false, now: () => new Date() }, "timeline", { sessionId: "s" });
    expect(timeline).toMatchObject({ rows: [{ id: "inside", isInRepository: true }] });
    git(root, "commit", "--quiet", "--allow-empty", "--message=second");
    expect(await ask("inside")).toMatchObject({ relation: "ahead", ahead: 1, says: expect.stringMatching(/\S/u) });
    await using outside = await openWorkrail({ dataDir: join(folder, "other"), cwd: folder, env: {} });
    await outside.saveCheckpoint({ sessionId: "s", checkpointId: "outside", context: { goal: "ship" } });
    const ports = { store: outside, project: undefined, mayWrite: false, now: () => new Date() };
    expect(await answerCall(ports, "drift", { checkpointId: "outside" })).toBeNull();
    expect(await answerCall(ports, "timeline", { sessionId: "s" })).toMatchObject({ rows: [{ id: "outside", isInRepository: undefined }] });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
