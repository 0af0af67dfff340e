import { type Digester, type FindSecrets, type Log, ruleScanner, type SecretScanner, type SecretScreen } from "@workrail/core";
import type { SecretsSettings } from "../settings.ts";
import type { TextSealing } from "../sealing/text-sealing.ts";
import { redactionKey } from "./redaction-key.ts";

/** Looks for secrets, in what is to be saved and in what is stored. */
export interface SecretScreening {
  readonly scanner: SecretScanner;
  /** Of what is saved; absent where secrets are not looked for there. */
  readonly screen: SecretScreen | undefined;
  /** By our rules, in a text that is sent to a model: whatever becomes of secrets in what is saved. */
  readonly findSecrets: FindSecrets;
}

interface ScreeningParts {
  /** What a program brings in the place of our rules. */
  readonly scanner: SecretScanner | undefined;
  readonly digests: Digester;
  readonly log: Log;
  readonly dataDir: string | undefined;
  readonly texts: TextSealing;
}

/** Of the digest: enough to tell secrets apart, too few to prove a guess. */
const TAG_DIGITS = 8;

/** As the settings say. */
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
  return { scanner, findSecrets, screen: mode === "off" ? undefined : { mode, scanner, placeholder } };
}
