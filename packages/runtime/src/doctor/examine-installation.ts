import { isWorkrailError, type WorkrailError } from "@workrail/core";
import type { Environment } from "../config/default-data-dir.ts";
import { type Configuration, readConfiguration } from "../config/read-configuration.ts";
import { readSettings, type Settings } from "../settings.ts";
import { checkHooks, checkIncoming } from "./check-hooks.ts";
import { checkKey } from "./check-key.ts";
import { checkNode, checkSqlite } from "./check-machine.ts";
import { checkDataDirectory, checkDisk, checkFileSystem, checkPermissions } from "./check-place.ts";
import { checkDatabase, checkRoundTrip } from "./check-store.ts";
import type { DoctorCheck, DoctorFinding, DoctorReport } from "./finding.ts";

export interface ExamineOptions {
  /** Default: the process's environment. */
  readonly env?: Environment | undefined;
  /** Options of a command line. Default: none. */
  readonly args?: readonly string[] | undefined;
  /** Repairs faults that can be repaired without risk. Default `false`. */
  readonly fix?: boolean | undefined;
}

/** Checks the machine, as `examineInstallation` of the library describes. */
export async function examineInstallation({ env = process.env, args = [], fix = false }: ExamineOptions = {}): Promise<DoctorReport> {
  const configuration = readConfiguration({ env, args });
  const { dataDir, values } = configuration;
  const settings = settingsOrRefusal(env, args);
  const place = attempt("data-directory", () => checkDataDirectory(dataDir, values.readOnly));
  const isThere = place.status !== "error";
  const findings = [
    attempt("node", () => checkNode()),
    attempt("sqlite", checkSqlite),
    configurationOf(configuration, settings),
    place,
    attempt("permissions", () => checkPermissions(dataDir, fix && !values.readOnly)),
    attempt("file-system", () => checkFileSystem(dataDir)),
    attempt("disk", () => checkDisk(dataDir)),
    isThere && !isWorkrailError(settings) ? await checkKey(dataDir, settings.sealing, values.readOnly) : unseen("keychain"),
    isThere && !isWorkrailError(settings) ? await checkDatabase(dataDir, { env, args, store: settings.store }) : unseen("database"),
    isThere ? await checkRoundTrip(dataDir, { WORKRAIL_SQLITE_DRIVER: values.sqliteDriver }, values.readOnly) : unseen("round-trip"),
    ...attemptAll("hooks", () => checkHooks(dataDir)),
    attempt("incoming", () => checkIncoming(dataDir)),
  ];
  return { dataDir, findings, isHealthy: findings.every(({ status }) => status !== "error") };
}

/** Reads the settings as every command does. Returns the error that a command would fail with. */
function settingsOrRefusal(env: Environment, args: readonly string[]): Settings | WorkrailError {
  try {
    return readSettings(env, { args });
  } catch (error) {
    if (isWorkrailError(error)) return error;
    throw error;
  }
}

function configurationOf({ issues, file, hasFile }: Configuration, settings: Settings | WorkrailError): DoctorFinding {
  const check = "configuration";
  const [first] = issues.toSorted((left, right) => left.severity.localeCompare(right.severity));
  if (first === undefined && isWorkrailError(settings)) {
    return {
      check,
      status: "error",
      message: settings.message,
      code: settings.code,
      ...(settings.hint === undefined ? {} : { hint: settings.hint }),
    };
  }
  if (first === undefined) {
    return { check, status: "ok", message: hasFile ? `${file} and all other settings can be read.` : "All settings can be read." };
  }
  const more = issues.length > 1 ? ` And ${issues.length - 1} more, listed by \`workrail config list\`.` : "";
  const { severity, message, hint } = first;
  return { check, status: severity, message: `${message}${more}`, hint, ...(severity === "error" ? { code: "INVALID_INPUT" } : {}) };
}

function unseen(check: DoctorCheck): DoctorFinding {
  return { check, status: "skipped", message: "Not checked: fix the problems above first." };
}

/** Turns an exception of a check into a finding. */
function attempt(check: DoctorCheck, look: () => DoctorFinding): DoctorFinding {
  try {
    return look();
  } catch (error) {
    return notLookedAt(check, error);
  }
}

function attemptAll(check: DoctorCheck, look: () => readonly DoctorFinding[]): readonly DoctorFinding[] {
  try {
    return look();
  } catch (error) {
    return [notLookedAt(check, error)];
  }
}

function notLookedAt(check: DoctorCheck, error: unknown): DoctorFinding {
  const message = `The check failed: ${error instanceof Error ? error.message : String(error)}.`;
  return { check, status: "error", code: "STORAGE_UNAVAILABLE", message, hint: "See the results of the other checks." };
}
