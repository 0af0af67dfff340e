/** What a secret is called where it is taken out. */
export type SecretKind = "API_KEY" | "TOKEN" | "JWT" | "PRIVATE_KEY" | "PASSWORD" | "WEBHOOK";

/** How to tell one sort of secret. */
export interface SecretRule {
  readonly id: string;
  readonly kind: SecretKind;
  /** One of these stands in every match, in lower case: a text without is not searched. */
  readonly keywords: readonly string[];
  /**
   * Takes time in proportion to the text: it begins with something fixed, behind what cannot be part of the match, and
   * what repeats in it is bounded, or cannot fail once it has begun. The secret is the group of that name, else all.
   */
  readonly pattern: RegExp;
  /** Where the format is from. */
  readonly source: string;
  /** Of what the pattern matches: whether it is a secret, and not an example or a name. */
  readonly isSecret?: (secret: string) => boolean;
}

/** Begins a token: what stands before it cannot belong to it. */
const START = String.raw`(?<![A-Za-z0-9_+-])`;
/** Ends a token of letters and digits. */
const END = String.raw`(?![A-Za-z0-9_])`;

/** A token that begins with something no one else's begins with. */
function token(id: string, kind: SecretKind, keywords: readonly string[], pattern: string, source: string): SecretRule {
  return { id, kind, keywords: keywords.map((word) => word.toLowerCase()), pattern: new RegExp(`${START}(?:${pattern})`, "g"), source };
}

const TOKENS: readonly SecretRule[] = [
  token(
    "aws-access-key-id",
    "API_KEY",
    ["AKIA", "ASIA", "ABIA", "ACCA"],
    `(?:AKIA|ASIA|ABIA|ACCA)[A-Z2-7]{16}${END}`,
    "AWS IAM identifiers",
  ),
  token(
    "github-token",
    "TOKEN",
    ["ghp_", "gho_", "ghu_", "ghs_", "ghr_"],
    `gh[pousr]_[A-Za-z0-9]{36,255}${END}`,
    "GitHub: authentication token formats",
  ),
  token("github-fine-grained-token", "TOKEN", ["github_pat_"], String.raw`github_pat_\w{36,}`, "GitHub: authentication token formats"),
  token(
    "gitlab-token",
    "TOKEN",
    ["gl"],
    String.raw`gl(?:pat|dt|rt|cbt|ptt|ft|imt|agent|oas|soat|ffct)-[\w.-]{20,}`,
    "GitLab: token prefixes",
  ),
  token("slack-token", "TOKEN", ["xox", "xapp-"], String.raw`(?:xox[abeoprs]|xapp)-[A-Za-z0-9-]{16,}`, "Slack: token types"),
  token(
    "stripe-key",
    "API_KEY",
    ["sk_", "rk_", "whsec_"],
    `(?:[rs]k_(?:live|test)_[A-Za-z0-9]{16,247}|whsec_[A-Za-z0-9+/]{32,64})${END}`,
    "Stripe: API keys",
  ),
  token("anthropic-key", "API_KEY", ["sk-ant-"], String.raw`sk-ant-[a-z]{3,5}\d\d-[\w-]{20,}`, "Anthropic console"),
  token(
    "openai-key",
    "API_KEY",
    ["sk-"],
    String.raw`sk-(?:(?:proj|svcacct|admin|or-v1)-[\w-]{20,}|[A-Za-z0-9]{32,64}${END})`,
    "OpenAI: API keys; OpenRouter and DeepSeek write theirs likewise",
  ),
  token("google-api-key", "API_KEY", ["AIza"], String.raw`AIza[\w-]{35}(?![\w-])`, "Google Cloud: API keys"),
  token("google-oauth", "TOKEN", ["ya29.", "GOCSPX-"], String.raw`(?:ya29\.[\w-]{20,}|GOCSPX-[\w-]{28})`, "Google: OAuth 2.0"),
  token("npm-token", "TOKEN", ["npm_"], `npm_[A-Za-z0-9]{36}${END}`, "npm: access tokens"),
  token("pypi-token", "TOKEN", ["pypi-"], String.raw`pypi-AgE[\w-]{50,}`, "PyPI: API tokens are macaroons"),
  token("sendgrid-key", "API_KEY", ["SG."], String.raw`SG\.[\w-]{22}\.[\w-]{43}`, "SendGrid: API keys"),
  token("mailgun-key", "API_KEY", ["key-"], `key-[0-9a-f]{32}${END}`, "Mailgun: API keys"),
  token("twilio-key", "API_KEY", ["sk"], `SK[0-9a-f]{32}${END}`, "Twilio: API keys"),
  token("telegram-bot-token", "TOKEN", [":aa"], String.raw`\d{8,10}:AA[\w-]{33}(?![\w-])`, "Telegram: Bot API"),
  token("discord-token", "TOKEN", ["."], String.raw`[MNO][A-Za-z0-9]{23,27}\.[\w-]{6}\.[\w-]{27,40}(?![\w-])`, "Discord: bot tokens"),
  token("hugging-face-token", "TOKEN", ["hf_"], `hf_[A-Za-z0-9]{30,40}${END}`, "Hugging Face: user access tokens"),
  token("groq-key", "API_KEY", ["gsk_"], `gsk_[A-Za-z0-9]{48,60}${END}`, "Groq console"),
  token("replicate-token", "TOKEN", ["r8_"], `r8_[A-Za-z0-9]{37}${END}`, "Replicate: API tokens"),
  token("digitalocean-token", "TOKEN", ["_v1_"], `do[opr]_v1_[0-9a-f]{64}${END}`, "DigitalOcean: token formats"),
  token("shopify-token", "TOKEN", ["shp"], `shp(?:at|ca|pa|ss)_[0-9a-f]{32}${END}`, "Shopify: access tokens"),
  token("linear-key", "API_KEY", ["lin_"], `lin_(?:api|oauth)_[A-Za-z0-9]{32,64}${END}`, "Linear: API keys"),
  token(
    "notion-token",
    "TOKEN",
    ["ntn_", "secret_"],
    `(?:ntn_[A-Za-z0-9]{40,60}|secret_[A-Za-z0-9]{43})${END}`,
    "Notion: integration tokens",
  ),
  token("vault-token", "TOKEN", ["hvs.", "hvb.", "hvr."], String.raw`hv[sbr]\.[\w-]{24,}`, "HashiCorp Vault: token prefixes"),
  token("databricks-token", "TOKEN", ["dapi"], `dapi[0-9a-f]{32}(?:-\\d)?${END}`, "Databricks: personal access tokens"),
  token(
    "grafana-token",
    "TOKEN",
    ["glsa_", "glc_"],
    String.raw`(?:glsa_[A-Za-z0-9]{32}_[0-9a-f]{8}|glc_[A-Za-z0-9+/]{32,}={0,2})`,
    "Grafana: service account tokens",
  ),
  token("docker-token", "TOKEN", ["dckr_"], String.raw`dckr_[ps]at_[\w-]{24,}`, "Docker Hub: access tokens"),
  token("atlassian-token", "TOKEN", ["ATATT3"], String.raw`ATATT3[\w=-]{100,}`, "Atlassian: API tokens"),
  token("azure-client-secret", "API_KEY", ["q~"], String.raw`[\w.~]{3}\dQ~[\w.~-]{31,34}(?![\w.~-])`, "Microsoft Entra: client secrets"),
  token("age-key", "PRIVATE_KEY", ["AGE-SECRET-KEY-"], `AGE-SECRET-KEY-1[0-9A-Z]{58}${END}`, "age: file encryption, keys in Bech32"),
  token(
    "jwt",
    "JWT",
    ["eyJ"],
    String.raw`eyJ[\w-]{8,}\.eyJ[\w-]{8,}\.[\w-]{8,}`,
    "RFC 7519: three parts, the first two are JSON objects in base64url",
  ),
];

/** A space, a line's end, or one written as an escape. */
const BLANK = String.raw`(?:\s|\\[rnt])`;

/** What a name is joined to its value by, in code, JSON (within JSON too), YAML, `.env` files and URLs. */
const IS = String.raw`(?:\\?["'])?\]?[ \t]{0,4}(?:=>|:=|[:=])[ \t]{0,4}`;

function assigned(id: string, kind: SecretKind, names: readonly string[], isSecret: (secret: string) => boolean): SecretRule {
  const stems = names.map((name) => name.replaceAll("_", "[_-]?")).join("|");
  return {
    id,
    kind,
    keywords: names.flatMap((name) => [name, name.replaceAll("_", ""), name.replaceAll("_", "-")]),
    pattern: new RegExp(String.raw`(?:${stems})${IS}(?:\\?["'])?(?<secret>[^\s"'\\\`,;<>(){}[\]&]{8,})`, "gi"),
    source: "names that values stand under in configuration and code",
    isSecret,
  };
}

const OTHERS: readonly SecretRule[] = [
  {
    id: "private-key",
    kind: "PRIVATE_KEY",
    keywords: ["private key"],
    // A key that was cut off has no end; nothing after its first line is required, so that nothing is tried twice.
    pattern: new RegExp(
      String.raw`-----BEGIN (?:[A-Z0-9]{1,12} ){0,4}PRIVATE KEY(?: BLOCK)?-----${BLANK}{1,8}` +
        String.raw`(?:[A-Za-z-]{1,30}: [^\r\n\\]{1,100}${BLANK}{1,8}){0,5}[A-Za-z0-9+/=]{16,}(?:${BLANK}{1,8}[A-Za-z0-9+/=]{16,})*` +
        String.raw`(?:${BLANK}{1,8}[A-Za-z0-9+/=]{1,80}(?=${BLANK}{1,8}-----END)|${BLANK}{1,8}=[A-Za-z0-9+/]{4})?` +
        String.raw`(?:${BLANK}{0,8}-----END [A-Z0-9 ]{1,40}-----)?`,
      "g",
    ),
    source: "RFC 7468 (PEM), OpenSSH and OpenPGP keys",
  },
  {
    id: "url-password",
    kind: "PASSWORD",
    keywords: ["://"],
    pattern: /(?<=[A-Za-z]):\/\/[^\s:/@"'<>]{0,128}:(?<secret>[^\s/@"'<>]{1,256})@/g,
    source: "RFC 3986: user information; connection strings of databases, queues and proxies",
    isSecret: (secret) => !isPlaceholder(secret),
  },
  {
    id: "azure-key",
    kind: "API_KEY",
    keywords: ["accountkey=", "sharedaccesskey="],
    pattern: /(?:AccountKey|SharedAccessKey)=(?<secret>[A-Za-z0-9+/]{43,}={0,2})/gi,
    source: "Azure: connection strings of storage and messaging",
  },
  {
    id: "authorization",
    kind: "TOKEN",
    keywords: ["bearer ", "basic ", "token "],
    pattern: /(?<![A-Za-z])(?:Bearer|Basic|token) {1,3}(?<secret>[A-Za-z0-9._~+/-]{16,}={0,2})/gi,
    source: "RFC 6750, RFC 7617: the header Authorization",
    isSecret: isRandom,
  },
  {
    id: "signed-url",
    kind: "TOKEN",
    keywords: ["sig=", "signature="],
    pattern: /[?&](?:sig|X-Amz-Signature|X-Goog-Signature|Signature)=(?<secret>[A-Za-z0-9%+/_-]{16,})/gi,
    source: "Azure shared access signatures, presigned URLs of Amazon S3 and Google Cloud Storage",
  },
  {
    id: "slack-webhook",
    kind: "WEBHOOK",
    keywords: ["hooks.slack.com/"],
    pattern: /https:\/\/hooks\.slack\.com\/(?:services|workflows|triggers)\/[A-Za-z0-9/]{20,}/g,
    source: "Slack: incoming webhooks",
  },
  {
    id: "discord-webhook",
    kind: "WEBHOOK",
    keywords: ["/api/webhooks/"],
    pattern: /https:\/\/(?:[a-z]{1,10}\.)?discord(?:app)?\.com\/api\/webhooks\/\d{10,22}\/[\w-]{40,}/g,
    source: "Discord: webhooks",
  },
  assigned("password", "PASSWORD", ["password", "passwd", "passphrase", "pwd"], isPassword),
  assigned(
    "named-key",
    "API_KEY",
    ["api_key", "secret_key", "access_key", "private_key", "account_key", "client_secret", "secret"],
    isRandom,
  ),
  assigned(
    "named-token",
    "TOKEN",
    ["access_token", "refresh_token", "auth_token", "bot_token", "id_token", "session_token", "token"],
    isRandom,
  ),
];

/** Secrets that are told by how they look, or by what stands before them. Personal data is not among them. */
export const SECRET_RULES: readonly SecretRule[] = [...TOKENS, ...OTHERS];

/** What stands for a value in examples and templates, and what was taken out already. */
function isPlaceholder(text: string): boolean {
  return (
    /^(?:[$<{%[*]|#\{|x{3,}|\.{3})/i.test(text) ||
    /^(?:your|my|the|some|example|changeme|change-me|redacted|secret|password|pass|passwd|dummy|placeholder|none|null|undefined|true|false)(?:$|[-_.])/i.test(
      text,
    )
  );
}

/** As keys are: long, of letters and digits in no order. Paths, names with dots and calls are not. */
function isRandom(text: string): boolean {
  if (text.length < 16 || isPlaceholder(text)) return false;
  if (!/\d/.test(text) || !/[A-Za-z]/.test(text)) return false;
  if (/^\.{0,2}\/|^[A-Za-z]+:\/\//.test(text)) return false;
  return entropy(text) >= LEAST_ENTROPY;
}

/** Bits a character. Words that are joined have less, where they are short; hexadecimal digits have up to 4. */
const LEAST_ENTROPY = 3;

function entropy(text: string): number {
  const counts = new Map<string, number>();
  for (const character of text) counts.set(character, (counts.get(character) ?? 0) + 1);
  return [...counts.values()].reduce((sum, count) => sum - (count / text.length) * Math.log2(count / text.length), 0);
}

/** Made by people, so not random; but neither a word nor a name in code. */
function isPassword(text: string): boolean {
  if (isPlaceholder(text) || /^[A-Za-z_$][\w$]*(?:\?*\.[\w$]+)+$/.test(text)) return false;
  const sorts = [/[a-z]/, /[A-Z]/, /\d/, /[^A-Za-z0-9]/].filter((sort) => sort.test(text)).length;
  return sorts >= 3 || (/\d/.test(text) && /[a-zA-Z]/.test(text));
}
