import type { Condenser, Digester, FindSecrets } from "@workrail/core";
import { httpCondenser } from "@workrail/http-condenser";
import { rememberingAnswers } from "./remembered-answers.ts";
import type { CondenserSettings } from "./settings.ts";
import type { Condensing } from "./tokens.ts";

/** Of texts for a condenser that a program brings, for which nothing is set. */
const INPUT_TOKENS = 6_000;

interface CondensingParts {
  /** What the program brings: it goes before the settings. */
  readonly own: Condenser | undefined;
  readonly digests: Digester;
  /** Finds what no text that is sent may hold. */
  readonly findSecrets: FindSecrets;
}

/** As the settings say. */
export function condensingBy(settings: CondenserSettings | undefined, { own, digests, findSecrets }: CondensingParts): Condensing {
  const condenser = own ?? (settings === undefined ? undefined : condenserOf(settings));
  if (condenser === undefined) return {};
  const inputTokens = settings?.inputTokens ?? INPUT_TOKENS;
  return { advanced: { condenser: rememberingAnswers(condenser, digests), inputTokens, findSecrets } };
}

function condenserOf({ url, model, apiKey, timeoutMs }: CondenserSettings): Condenser {
  if (url !== undefined && model !== undefined) return httpCondenser({ url, model, apiKey, timeoutMs });
  const missing = [...(url === undefined ? ["WORKRAIL_CONDENSER_URL"] : []), ...(model === undefined ? ["WORKRAIL_CONDENSER_MODEL"] : [])];
  // Work goes on without it, and each answer says why.
  return { name: "none", condense: () => Promise.reject(new Error(`Nobody is asked: ${missing.join(" and ")} must be set.`)) };
}
