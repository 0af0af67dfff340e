import { screenSecrets, type SecretScreen } from "@workrail/core";
import { nodeDigests, silentLog } from "../environment.ts";
import { screeningBy } from "../secrets/secret-screening.ts";
import { textSealing } from "../sealing/text-sealing.ts";
import { secretsSettingsOf } from "../settings.ts";
import type { HookSettings } from "./hook-settings.ts";

/** The same JSON value with placeholders in the places of secrets, unless the settings say that nobody looks for them. */
export async function withoutSecrets<T>(value: T, settings: HookSettings): Promise<T> {
  if (settings.values.secrets === "off") return value;
  const text = JSON.stringify({ value });
  const { redacted } = await screenSecrets(screenOf(settings), { context: () => [text], labels: "{}" });
  return redacted === undefined ? value : (JSON.parse(redacted.context) as { readonly value: T }).value;
}

let screen: SecretScreen | undefined;

/** Nobody is asked before an automatic save, so secrets are always replaced. */
function screenOf({ values, dataDir, isSealed }: HookSettings): SecretScreen {
  const parts = { scanner: undefined, digests: nodeDigests, log: silentLog, texts: textSealing(undefined) };
  // The key of a sealed store's placeholders is not at hand here: theirs last as long as the process.
  const own = { ...parts, dataDir: isSealed ? undefined : dataDir };
  screen ??= screeningBy({ ...secretsSettingsOf(values), mode: "redact" }, own).screen;
  return screen as SecretScreen;
}
