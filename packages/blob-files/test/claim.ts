import { nodeFileSystem } from "../src/file-system.ts";
import { type CatalogKind, StoreClaim } from "../src/store-claim.ts";

/** Child process that opens a store as told, until it is killed. */
const ignore = (): void => undefined;
const log = { debug: ignore, info: ignore, warn: ignore, error: ignore };
const [, , dataDir = "", kind, times] = process.argv;
for (let time = 0; time < Number(times); time++) {
  await StoreClaim.take({ dataDir, fs: nodeFileSystem, log, kind: kind as CatalogKind, excludes: [], waitMs: 0 });
}
process.stdout.write("claimed\n");
setInterval(ignore, 60_000);
