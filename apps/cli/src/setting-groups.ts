import { SETTING_NAMES, type SettingName } from "@workrail/runtime/settings";

export interface SettingGroup {
  readonly title: string;
  readonly names: readonly SettingName[];
}

/** Groups in the order of display, with the names that belong to each. */
const GROUPS: readonly (readonly [title: string, names: RegExp])[] = [
  ["Location and access", /^(?:dataDir|store|storeToken|allowPlaintextStore|project|fallback|readOnly|isolation)$/u],
  ["Retention", /^(?:maxCheckpoints|maxAsides|retention\w*|prun\w*|trash\w*|auditDays)$/u],
  ["Quotas", /^(?:max(?:Aside|Checkpoint|Session|Total)Bytes|warnPercent|cleanup\w*)$/u],
  ["Limits of a context", /^(?:maxContextBytes|maxDepth|maxKeys)$/u],
  ["Answers to agents", /^(?:maxAnswer\w*|tokenizer|checkpointAutoSave|rateLimit\w*|logLevel)$/u],
  ["MCP server", /^(?:http|tool)/u],
  ["Hooks of hosts", /^hook/u],
  ["Shortening by a language model", /^(?:contextCompression|condenser\w*)$/u],
  ["Search by meaning", /^embedder/u],
  ["Secrets", /^secrets/u],
  ["Encryption", /^(?:encryption\w*|allowPlaintextFiles)$/u],
  ["Database and object storage", /^(?:blobs|lockTimeoutMs|sqliteDriver|tenant|tenantsFile)$/u],
  ["Others", /^/u],
];

/** Returns all settings, each in one group. */
export function settingGroups(): readonly SettingGroup[] {
  const byTitle = Map.groupBy(SETTING_NAMES, (name) => GROUPS.find(([, names]) => names.test(name))?.[0] ?? "Others");
  return GROUPS.flatMap(([title]) => {
    const names = byTitle.get(title);
    return names === undefined ? [] : [{ title, names }];
  });
}
