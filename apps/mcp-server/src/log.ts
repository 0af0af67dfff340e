import type { Log, LogFields } from "@workrail/core";
import { escapeJson } from "@workrail/process";
import type { SettingValues } from "@workrail/runtime";
import { pino, type Logger } from "pino";

/** Bytes buffered for a host that does not read; further lines are dropped. */
const MAX_UNREAD_BYTES = 1024 * 1024;

export type LogLevel = SettingValues["logLevel"];

/** Creates a log that writes JSON lines to stderr, from a level upwards. */
export function createLog(level: LogLevel = "warn"): Log {
  return new StderrLog(level);
}

class StderrLog implements Log {
  readonly #pino: Logger;

  constructor(level: LogLevel) {
    this.#pino = pino(
      {
        level,
        base: null,
        timestamp: pino.stdTimeFunctions.isoTime,
        formatters: { level: (label) => ({ level: label }) },
        serializers: { error: pino.stdSerializers.err },
      },
      { write: writeToStderr },
    );
  }

  debug(message: string, fields: LogFields = {}): void {
    this.#pino.debug(fields, message);
  }

  info(message: string, fields: LogFields = {}): void {
    this.#pino.info(fields, message);
  }

  warn(message: string, fields: LogFields = {}): void {
    this.#pino.warn(fields, message);
  }

  error(message: string, fields: LogFields = {}): void {
    this.#pino.error(fields, message);
  }
}

let isStderrWatched = false;

/**
 * Writes synchronously where the system allows it, so that the last lines of a dying process are not lost.
 *
 * A host may close stderr, or never read it; the server continues in both cases. pino's own destinations would block until the host reads.
 */
function writeToStderr(line: string): void {
  if (!isStderrWatched) {
    isStderrWatched = true;
    process.stderr.on("error", () => {});
  }
  if (process.stderr.writableLength < MAX_UNREAD_BYTES) {
    // JSON escapes some control characters, but a terminal obeys others too.
    process.stderr.write(escapeJson(line));
  }
}
