import type { ErrorCode } from "@workrail/core";

/** The checks, in their order. The last two, of hosts and their servers, are done by the command line, which knows them. */
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

/** Result of one check. */
export interface DoctorFinding {
  readonly check: DoctorCheck;
  /** The host that the finding is about. */
  readonly host?: string;
  /** `skipped`: not checked, for a reason that another check reports. */
  readonly status: "ok" | "warning" | "error" | "skipped";
  /** A sentence for people. */
  readonly message: string;
  /** Advice on how to fix it. */
  readonly hint?: string;
  /** Error code of a command that fails for this. */
  readonly code?: ErrorCode;
  /** `possible`: the fault can be repaired without risk. `done`: it was repaired. */
  readonly fix?: "possible" | "done";
}

export interface DoctorReport {
  readonly dataDir: string;
  readonly findings: readonly DoctorFinding[];
  /** True when no finding is an error. */
  readonly isHealthy: boolean;
}
