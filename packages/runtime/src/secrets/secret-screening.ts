import type { Digester, FindSecrets, Log, SecretScanner, SecretScreen } from "@workrail/core";
import { ruleScanner } from "@workrail/secrets";
import type { SecretsSettings } from "../settings.ts";
import type { TextSealing } from "../sealing/text-sealing.ts";
import { redactionKey } from "./redaction-key.ts";

/** Finds secrets in data to save and in stored data. */
export interface SecretScreening {
  readonly scanner: SecretScanner;
  /** Screens saved data; absent when the settings turn this off. */
  readonly screen: SecretScreen | undefined;
  /** Finds secrets by the built-in rules in texts for a model, a report or a file name, whatever the settings for saved data. */
  readonly findSecrets: FindSecrets;
}

interface ScreeningParts {
  /** Scanner of the program, in place of our rules. */
  readonly scanner: SecretScanner | undefined;
  readonly digests: Digester;
  readonly log: Log;
  readonly dataDir: string | undefined;
  readonly texts: TextSealing;
}

/** Digits of the digest in a placeholder: enough to tell secrets apart, too few to confirm a guess. */
const TAG_DIGITS = 8;

/** Builds the screening from the settings. */
export function screeningBy({ mode, ...options }: SecretsSettings, parts: ScreeningParts): SecretScreening {
  const scanner = parts.scanner ?? ruleScanner(options);
  let key: Promise<string> | undefined;
  const placeholder: SecretScreen["placeholder"] = async (kind, secret) => {
    key ??= redactionKey(parts);
    const tag = parts.digests.sha256(JSON.stringify([await key, secret])).slice(0, TAG_DIGITS);
    return `[${kind}_${tag}]`;
  };
  const sent = ruleScanner({ personalData: options.personalData });
  const findSecrets: FindSecrets = (text) => [...sent.find([text])].flat();
  return { scanner, findSecrets, screen: mode === "off" ? undefined : { mode, scanner, findSecrets, placeholder } };
}
