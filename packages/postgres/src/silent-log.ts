import type { Log } from "@workrail/core";

/** Log that discards all messages. */
export const silentLog: Log = { debug: ignore, info: ignore, warn: ignore, error: ignore };

function ignore(): void {}
