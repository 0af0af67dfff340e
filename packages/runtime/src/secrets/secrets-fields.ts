import type { ScanOptions, SecretsReport } from "@workrail/core";

/** Report of likely secrets in saved data. Never contains a secret. */
export interface SecretsFields extends SecretsReport {
  /** Advice on how to proceed. */
  readonly advice: string;
}

/** Scope of a scan, and its progress callback. */
export interface ScanStoreParams extends Omit<ScanOptions, "sessionId"> {
  /** Only this session. Default: the whole store with its trash. */
  readonly sessionId?: string | undefined;
}

const ADVICE: { readonly [Action in SecretsReport["action"]]: string } = {
  warned:
    "Save the place of the secret instead, such as its variable's name, and delete this checkpoint. If the secret must stay, pin its entry and encrypt " +
    "the store.",
  redacted: "Each secret was replaced by a placeholder, and cannot be restored from this checkpoint.",
};

/** Returns the report with advice, for an answer. */
export function secretsFields(report: SecretsReport): SecretsFields {
  return { ...report, advice: ADVICE[report.action] };
}
