import { registerHooks } from "node:module";

/** Saves to a store in a process that cannot load SQLite, and prints the log. */
registerHooks({
  resolve(specifier, context, next) {
    if (["better-sqlite3", "node:sqlite"].includes(specifier)) throw new Error(`${specifier} is not here`);
    return next(specifier, context);
  },
});

const { openWorkrail } = await import("../src/open-workrail.ts");
const print = (message: string, fields: object = {}): void => void process.stdout.write(`${JSON.stringify({ message, ...fields })}\n`);
const log = { debug: () => {}, info: print, warn: print, error: print };
const workrail = await openWorkrail({ dataDir: String(process.argv[2]), project: null, adapters: { log } });
await workrail.saveCheckpoint({ sessionId: "session", context: { step: 1 } });
await workrail.close();
