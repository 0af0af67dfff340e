import { parseJson, screenSecrets, type SecretScreen } from "@workrail/core";
import { nodeDigests, silentLog } from "../environment.ts";
import { screeningBy } from "../secrets/secret-screening.ts";
import { textSealing } from "../sealing/text-sealing.ts";
import { secretsSettingsOf } from "../settings.ts";
import type { HookSettings } from "./hook-settings.ts";

/** The same JSON value with placeholders for secrets, unless the settings turn the scan off. */
export async function withoutSecrets<T>(value: T, settings: HookSettings): Promise<T> {
  if (settings.values.secrets === "off") return value;
  const text = JSON.stringify({ value });
  const { redacted } = await screenSecrets(screenOf(settings), { context: () => [text], labels: "{}" });
  return redacted === undefined ? value : (parseJson(redacted.context) as { readonly value: T }).value;
}

const screens = new Map<string, SecretScreen>();

/** An automatic save asks no user, so secrets are always replaced. */
function screenOf({ values, dataDir, isSealed }: HookSettings): SecretScreen {
  const rules = secretsSettingsOf(values);
  const key = JSON.stringify([dataDir, isSealed, rules]);
  const known = screens.get(key);
  if (known !== undefined) return known;
  const parts = { scanner: undefined, digests: nodeDigests, log: silentLog, texts: textSealing(undefined), dataDir };
  const screen = screeningBy({ ...rules, mode: "redact" }, parts).screen as SecretScreen;
  // Hooks do not have the key for placeholders of a sealed store, and the same text must give the same state in every process.
  const own: SecretScreen = isSealed ? { ...screen, placeholder: async (kind) => `[${kind}]` } : screen;
  screens.set(key, own);
  return own;
}
