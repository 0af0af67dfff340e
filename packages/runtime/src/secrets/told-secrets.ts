import type { ScanOptions, SecretsReport } from "@workrail/core";

/** What an answer says of secrets in what was saved. Never a secret itself. */
export interface ToldSecrets extends SecretsReport {
  /** What to do about it. */
  readonly advice: string;
}

/** What to look through, and who is told of how far it is. */
export interface ScanStoreParams extends Omit<ScanOptions, "sessionId"> {
  /** Only this session. Default: the whole store, with its trash. */
  readonly sessionId?: string | undefined;
}

const ADVICE: { readonly [Action in SecretsReport["action"]]: string } = {
  warned:
    "Better save where the secret is kept, such as its variable's name, and delete this checkpoint. If it must stay, pin its entry, and encrypt " +
    "the store.",
  redacted: "What stands for each secret was saved in its place: the secret cannot be had back from here.",
};

/** A part of an answer; empty where nothing was found. */
export function toldSecrets(report: SecretsReport | undefined): { readonly secrets?: ToldSecrets } {
  return report === undefined ? {} : { secrets: { ...report, advice: ADVICE[report.action] } };
}
