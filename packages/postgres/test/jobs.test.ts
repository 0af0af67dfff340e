import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { noPostgres } from "@workrail/faults";
import { openPostgres } from "@workrail/postgres";
import { describe, expect, it } from "vitest";
import { TEST_URL } from "./server-harness.ts";
import { useServer } from "./use-server.ts";

const missing = noPostgres();
const CHILD = fileURLToPath(new URL("./claim-then-hang.ts", import.meta.url));
const LEASE_MS = 1_500;

describe.skipIf(missing !== undefined)(`jobs of several openers${missing === undefined ? "" : `: not run, ${missing}`}`, () => {
  useServer();

  const open = async (tenant: string) => openPostgres({ url: process.env[TEST_URL] ?? "", tenant, leaseMs: LEASE_MS });

  it("are done by one of them, each apart, and by the next one afterwards", async () => {
    const openers = await Promise.all([open("team"), open("team"), open("team")]);
    const [one, other] = openers;
    const ended = Promise.withResolvers<void>();
    const begun = openers.map(async (each, index) => each.claimJob?.("compact", () => ended.promise.then(() => index)));
    // An opener that does not get the job knows so while it is under way.
    await expect.poll(async () => (await Promise.race([...begun, Promise.resolve("all wait")])) ?? "elsewhere").toBe("elsewhere");
    expect(await one?.claimJob?.("index", async () => "another job")).toEqual({ done: "another job" });
    const foreign = await open("other team");
    expect(await foreign.claimJob?.("compact", async () => "another store")).toEqual({ done: "another store" });
    ended.resolve();
    const results = await Promise.all(begun);
    expect(results.filter((each) => each !== undefined)).toHaveLength(1);
    expect(await other?.claimJob?.("compact", async () => "next")).toEqual({ done: "next" });
    await Promise.all([...openers, foreign].map((each) => each.close()));
  });

  it("are free again after one that fails", async () => {
    const opener = await open("failing");
    await expect(opener.claimJob?.("verify", () => Promise.reject(new Error("of the work")))).rejects.toThrow("of the work");
    expect(await opener.claimJob?.("verify", async () => "done")).toEqual({ done: "done" });
    await opener.close();
  });

  it("stay with one that takes longer than its lease, and go to another one when it is killed", async () => {
    const child = spawn(process.execPath, ["--conditions=@workrail/source", CHILD, "killed", String(LEASE_MS)], {
      env: process.env,
      stdio: ["ignore", "pipe", "inherit"],
    });
    await once(child.stdout, "data");
    const opener = await open("killed");
    const claim = () => opener.claimJob?.("clean up", async () => "done");
    const end = performance.now() + 2 * LEASE_MS;
    while (performance.now() < end) {
      expect(await claim()).toBeUndefined();
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    child.kill("SIGKILL");
    await expect.poll(claim, { timeout: 30_000 }).toEqual({ done: "done" });
    await opener.close();
  });
});
