import type { PlacedSecret, SecretsReport } from "@workrail/core";

/** What looks like a secret in what a command saved. */
export interface Secrets extends Pick<SecretsReport, "action" | "count"> {
  readonly found: readonly (PlacedSecret & { readonly checkpointId?: string })[];
  /** What to do about it. */
  readonly advice?: string;
}

/** Says by which rules and where secrets were found, and what became of them; nothing where there are none. */
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
