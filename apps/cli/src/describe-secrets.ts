import type { PlacedSecret, SecretsReport } from "@workrail/core";

/** Likely secrets in the data that a command saved. */
export interface Secrets extends Pick<SecretsReport, "action" | "count"> {
  readonly found: readonly (PlacedSecret & { readonly checkpointId?: string })[];
  /** Advice on how to proceed. */
  readonly advice?: string;
}

/** Describes rules and places of secrets, and how they were treated. Empty when there are none. */
export function describeSecrets(secrets: Secrets | undefined): readonly string[] {
  if (secrets === undefined) return [];
  const { action, count, found, advice } = secrets;
  const places = found.map(
    ({ rule, path, checkpointId }) => `${rule} at ${path}${checkpointId === undefined ? "" : ` of ${checkpointId}`}`,
  );
  const more = count > found.length ? ` and ${count - found.length} more` : "";
  const said = action === "redacted" ? "Replaced, because it looks like a secret" : "This looks like a secret";
  return [`${said}: ${places.join(", ")}${more}.${advice === undefined ? "" : ` ${advice}`}`];
}
