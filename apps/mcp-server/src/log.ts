import process from "node:process";
import type { Log, LogFields } from "@workrail/core";
import { pino, type Logger } from "pino";

const LEVELS: readonly string[] = ["debug", "info", "warn", "error", "silent"];
const DEFAULT_LEVEL = "warn";
/** What is kept for a host that does not read; later lines are lost. */
const MAX_UNREAD_BYTES = 1024 * 1024;

/** Logs JSON lines to stderr, from the level that `WORKRAIL_LOG_LEVEL` names upwards. */
export function createLog(environment: NodeJS.ProcessEnv = process.env): Log {
  const wanted = environment["WORKRAIL_LOG_LEVEL"]?.toLowerCase() ?? DEFAULT_LEVEL;
  const isKnown = LEVELS.includes(wanted);
  const log = new StderrLog(isKnown ? wanted : DEFAULT_LEVEL);
  if (!isKnown) {
    log.warn(`WORKRAIL_LOG_LEVEL is not a level; using ${DEFAULT_LEVEL}`, { levels: LEVELS });
  }
  return log;
}

class StderrLog implements Log {
  readonly #pino: Logger;

  constructor(level: string) {
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
 * Writes at once where the system allows it, so that the last words of a dying process are not lost.
 *
 * A host may close our stderr, or never read it: neither is a reason to stop serving. pino's own
 * destinations block until somebody reads.
 */
function writeToStderr(line: string): void {
  if (!isStderrWatched) {
    isStderrWatched = true;
    process.stderr.on("error", () => {});
  }
  if (process.stderr.writableLength < MAX_UNREAD_BYTES) {
    process.stderr.write(line);
  }
}
