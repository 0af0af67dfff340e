import type { Condenser, Digester, FindSecrets } from "@workrail/core";
import { httpCondenser } from "@workrail/http-condenser";
import { rememberingAnswers } from "./remembered-answers.ts";
import type { CondenserSettings } from "./settings.ts";
import type { Condensing } from "./tokens.ts";

/** Token limit of texts sent to the program's own condenser, when no setting gives one. */
const INPUT_TOKENS = 6_000;

interface CondensingParts {
  /** The program's own condenser. Takes precedence over the settings. */
  readonly own: Condenser | undefined;
  readonly digests: Digester;
  /** Finds secrets, which must not be sent. */
  readonly findSecrets: FindSecrets;
}

/** Builds the condensing part from the settings, or from the program's own condenser. */
export function condensingBy(settings: CondenserSettings | undefined, { own, digests, findSecrets }: CondensingParts): Condensing {
  const condenser = own ?? (settings === undefined ? undefined : condenserOf(settings));
  if (condenser === undefined) return {};
  const inputTokens = settings?.inputTokens ?? INPUT_TOKENS;
  return { advanced: { condenser: rememberingAnswers(condenser, digests), inputTokens, findSecrets } };
}

function condenserOf({ url, model, apiKey, timeoutMs }: CondenserSettings): Condenser {
  if (url !== undefined && model !== undefined) return httpCondenser({ url, model, apiKey, timeoutMs });
  const missing = [...(url === undefined ? ["WORKRAIL_CONDENSER_URL"] : []), ...(model === undefined ? ["WORKRAIL_CONDENSER_MODEL"] : [])];
  // Work continues without a condenser, and each answer says why.
  return { name: "none", condense: () => Promise.reject(new Error(`No model is used: ${missing.join(" and ")} must be set.`)) };
}
