import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { timeToEnd } from "@workrail/faults";
import { expect, it } from "vitest";

const NEVER_DONE = fileURLToPath(new URL("testing/never-done.ts", import.meta.url));
const PATIENCE_MS = 60_000;

// Windows has no signals.
it.skipIf(process.platform === "win32").each(["SIGTERM", "SIGINT"] as const)(
  "ends a command that hangs within five seconds of %s (not on Windows)",
  { timeout: PATIENCE_MS },
  async (signal) => {
    const child = spawn(process.execPath, [NEVER_DONE], { stdio: "pipe" });
    await once(child.stdout, "data");
    const told = performance.now();
    child.kill(signal);
    const [, by] = (await once(child, "exit")) as [number | null, NodeJS.Signals | null];
    expect({ by, isInTime: performance.now() - told < timeToEnd() }).toEqual({ by: signal, isInTime: true });
  },
);
