import type { ErrorCode } from "@workrail/core";

/** The checks, in their order. The command line checks hosts and their servers, because it knows them. */
export const DOCTOR_CHECKS = [
  "node",
  "sqlite",
  "configuration",
  "data-directory",
  "permissions",
  "file-system",
  "disk",
  "keychain",
  "database",
  "round-trip",
  "hooks",
  "incoming",
  "host",
  "server",
] as const;
export type DoctorCheck = (typeof DOCTOR_CHECKS)[number];

/** What one check found. */
export interface DoctorFinding {
  readonly check: DoctorCheck;
  /** The host of the finding. */
  readonly host?: string;
  /** `skipped`: it could not be looked at, for a reason that another check tells. */
  readonly status: "ok" | "warning" | "error" | "skipped";
  /** A sentence for people. */
  readonly message: string;
  /** What to do. */
  readonly hint?: string;
  /** How a command fails for this. */
  readonly code?: ErrorCode;
  /** It can be put right without risk, or was. */
  readonly fix?: "possible" | "done";
}

export interface DoctorReport {
  readonly dataDir: string;
  readonly findings: readonly DoctorFinding[];
  /** Nothing is wrong that keeps anything from working. */
  readonly isHealthy: boolean;
}
