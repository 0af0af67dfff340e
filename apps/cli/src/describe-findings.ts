import type { Finding } from "@workrail/core";
import { escapeText } from "@workrail/process";

/** Returns one line for each finding. */
export function describeFindings(findings: readonly Finding[]): readonly string[] {
  return findings.map(({ kind, checkpointId, sessionId, ref, reason }) => {
    const about = checkpointId ?? sessionId ?? ref ?? "";
    return `  ${kind}  ${escapeText(about)}: ${escapeText(reason)}`;
  });
}
