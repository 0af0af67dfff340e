// Child process: saves, reports that, and dies at one of the steps of a search that indexes the save.
import fs from "node:fs";
import type { Storage } from "@workrail/core";
import { nodeFileSystem, openSqliteFs } from "@workrail/sqlite-fs";
import { openWorkrail } from "../src/open-workrail.ts";

const [dataDir = "", fatal = ""] = process.argv.slice(2);
/** Number of steps before the process dies: file operations, and the start and end of each call of the index. */
let left = Number.POSITIVE_INFINITY;

function step(): void {
  left -= 1;
  if (left === 0) process.kill(process.pid, "SIGKILL");
}

/** Wraps an object so that each call counts as two steps. */
function stepping<T extends object>(target: T): T {
  return new Proxy(target, {
    get(_, name) {
      const member: unknown = Reflect.get(target, name);
      if (typeof member !== "function") return member;
      return (...args: unknown[]): unknown => {
        step();
        const result: unknown = Reflect.apply(member, target, args);
        if (!(result instanceof Promise)) {
          step();
          return result;
        }
        return result.finally(step);
      };
    },
  });
}

async function open(settings: { readonly dataDir: string }): Promise<Storage> {
  const storage = await openSqliteFs({ ...settings, fs: stepping(nodeFileSystem) });
  return storage.search === undefined ? storage : { ...storage, search: stepping(storage.search) };
}

const workrail = await openWorkrail({ dataDir, project: null, env: {}, adapters: { storage: open } });
for (const note of ["a found needle", "an unindexed needle"]) {
  const { checkpointId } = await workrail.saveCheckpoint({ sessionId: "a", context: { note } });
  fs.writeSync(1, `${checkpointId}\n`);
  if (note === "a found needle") await workrail.searchCheckpoints({ query: "needle" });
}
left = Number(fatal);
await workrail.searchCheckpoints({ query: "unindexed" });
left = Number.POSITIVE_INFINITY;
await workrail.close();
fs.writeSync(1, "done\n");
