import { nodeFileSystem } from "../src/file-system.ts";
import { StoreClaim } from "../src/store-claim.ts";

/** Has a store open without SQLite until it is killed. */
const ignore = (): void => undefined;
const log = { debug: ignore, info: ignore, warn: ignore, error: ignore };
await StoreClaim.take({ dataDir: String(process.argv[2]), fs: nodeFileSystem, log, kind: "files", excludes: [], waitMs: 0 });
process.stdout.write("claimed\n");
setInterval(ignore, 60_000);
