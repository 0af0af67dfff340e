// Child process: keeps checkpoints in memory, lets the disk come back, and dies while it writes them to disk.
import fs from "node:fs";
import { nodeFileSystem, openSqliteFs } from "@workrail/sqlite-fs";
import { openWorkrail } from "../src/open-workrail.ts";

const [dataDir = "", fatal = ""] = process.argv.slice(2);
let isFull = false;
/** Number of file operations before the process dies. */
let left = Number.POSITIVE_INFINITY;

const files = new Proxy(nodeFileSystem, {
  get(target, name: keyof typeof nodeFileSystem) {
    const operation = target[name] as (...args: unknown[]) => unknown;
    return (...args: unknown[]): unknown => {
      if (isFull && name === "create") throw Object.assign(new Error("ENOSPC"), { code: "ENOSPC" });
      const result = operation(...args);
      left -= 1;
      if (left === 0) process.kill(process.pid, "SIGKILL");
      return result;
    };
  },
});

let retry: (() => Promise<unknown>) | undefined;
const workrail = await openWorkrail({
  dataDir,
  env: {},
  project: null,
  fallback: "memory",
  adapters: {
    storage: (settings) => openSqliteFs({ ...settings, fs: files }),
    repeat: (work) => {
      retry = work;
      return () => {};
    },
  },
});
await workrail.saveCheckpoint({ sessionId: "session", context: { step: 0 } });
isFull = true;
for (const step of [1, 2, 3]) {
  const id = `kept-${step}`;
  await workrail.saveCheckpoint({ sessionId: "session", checkpointId: id, context: { step } }).catch(() => fs.writeSync(1, `${id}\n`));
}
await workrail.markCritical({ sessionId: "session", contextKey: "step" });
isFull = false;
left = Number(fatal);
await retry?.();
left = Number.POSITIVE_INFINITY;
await workrail.close();
fs.writeSync(1, "done\n");
