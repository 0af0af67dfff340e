import type { SecretKind } from "@workrail/core";
import { isExample, isRandom } from "./looks-random.ts";
import { END, LINE_BREAK, type SecretRule, START } from "./secret-rule.ts";

type Row = readonly [id: string, kind: SecretKind, keywords: readonly string[], pattern: string, source: string];

const HEX = "[0-9a-f]";
const ALNUM = "[A-Za-z0-9]";
const URL64 = String.raw`[\w-]`;
/** Most lines of a private key. A key of 16,384 bits has 200. */
const MOST_LINES = 2_000;

/** Tokens with a unique prefix. */
const PREFIXED: readonly Row[] = [
  ["aws-access-key-id", "API_KEY", ["akia", "asia", "abia", "acca"], `(?:AKIA|ASIA|ABIA|ACCA)[A-Z2-7]{16}${END}`, "AWS IAM identifiers"],
  ["aws-bedrock-key", "API_KEY", ["absk"], `ABSK[A-Za-z0-9+/]{100,270}={0,2}`, "Amazon Bedrock: API keys"],
  [
    "github-token",
    "TOKEN",
    ["ghp_", "gho_", "ghu_", "ghs_", "ghr_"],
    `gh[pousr]_${ALNUM}{36,255}${END}`,
    "GitHub: authentication token formats",
  ],
  ["github-fine-grained-token", "TOKEN", ["github_pat_"], String.raw`github_pat_\w{36,255}`, "GitHub: authentication token formats"],
  [
    "gitlab-token",
    "TOKEN",
    ["glpat-", "gldt-", "glrt-", "glcbt-", "glptt-", "glft-", "glimt-", "glagent-", "gloas-", "glsoat-", "glffct-"],
    String.raw`gl[a-z]{2,5}-[\w.-]{20,300}`,
    "GitLab: token prefixes",
  ],
  ["slack-token", "TOKEN", ["xox", "xapp-"], String.raw`(?:xox[abeoprs]|xapp)-[A-Za-z0-9-]{16,400}`, "Slack: token types"],
  [
    "stripe-key",
    "API_KEY",
    ["sk_live_", "sk_test_", "rk_live_", "rk_test_", "whsec_"],
    `(?:[rs]k_(?:live|test)_${ALNUM}{16,247}|whsec_[A-Za-z0-9+/]{32,64})${END}`,
    "Stripe: API keys",
  ],
  ["anthropic-key", "API_KEY", ["sk-ant-"], String.raw`sk-ant-[a-z]{3,5}\d\d-[\w-]{20,400}`, "Anthropic console"],
  [
    "openai-key",
    "API_KEY",
    ["sk-"],
    String.raw`sk-(?:(?:proj|svcacct|admin|or-v1)-[\w-]{20,300}|${ALNUM}{32,64}${END})`,
    "OpenAI: API keys; OpenRouter and DeepSeek write theirs likewise",
  ],
  ["google-api-key", "API_KEY", ["aiza"], `AIza${URL64}{35}(?!${URL64})`, "Google Cloud: API keys"],
  [
    "google-oauth",
    "TOKEN",
    ["ya29.", "gocspx-", "1//0"],
    String.raw`(?:ya29\.[\w-]{20,2000}|GOCSPX-[\w-]{28}|1//0[\w-]{40,200})`,
    "Google: OAuth 2.0",
  ],
  ["npm-token", "TOKEN", ["npm_"], `npm_${ALNUM}{36}${END}`, "npm: access tokens"],
  ["pypi-token", "TOKEN", ["pypi-age"], `pypi-AgE${URL64}{50,1000}`, "PyPI: API tokens are macaroons"],
  ["rubygems-key", "API_KEY", ["rubygems_"], `rubygems_${HEX}{48}${END}`, "RubyGems: API keys"],
  ["crates-token", "TOKEN", ["cio"], `cio${ALNUM}{32}${END}`, "crates.io: API tokens"],
  ["nuget-key", "API_KEY", ["oy2"], `oy2[a-z0-9]{43}${END}`, "NuGet: API keys"],
  ["sendgrid-key", "API_KEY", ["sg."], String.raw`SG\.${URL64}{22}\.${URL64}{43}`, "SendGrid: API keys"],
  ["brevo-key", "API_KEY", ["xkeysib-"], `xkeysib-${HEX}{64}-${ALNUM}{16}`, "Brevo: API keys"],
  ["resend-key", "API_KEY", ["re_"], `re_${ALNUM}{8}_${ALNUM}{24}${END}`, "Resend: API keys"],
  ["mailgun-key", "API_KEY", ["key-"], `key-${HEX}{32}${END}`, "Mailgun: API keys"],
  ["twilio-key", "API_KEY", ["sk"], `SK${HEX}{32}${END}`, "Twilio: API keys"],
  ["hugging-face-token", "TOKEN", ["hf_"], `hf_${ALNUM}{30,40}${END}`, "Hugging Face: user access tokens"],
  ["groq-key", "API_KEY", ["gsk_"], `gsk_${ALNUM}{48,60}${END}`, "Groq console"],
  ["replicate-token", "TOKEN", ["r8_"], `r8_${ALNUM}{37}${END}`, "Replicate: API tokens"],
  ["xai-key", "API_KEY", ["xai-"], `xai-${ALNUM}{64,100}${END}`, "xAI console"],
  ["perplexity-key", "API_KEY", ["pplx-"], `pplx-${ALNUM}{40,64}${END}`, "Perplexity: API keys"],
  ["langsmith-key", "API_KEY", ["lsv2_"], `lsv2_(?:pt|sk)_${HEX}{32}_${HEX}{10}${END}`, "LangSmith: API keys"],
  ["nvidia-key", "API_KEY", ["nvapi-"], `nvapi-${URL64}{60,70}`, "NVIDIA: API keys"],
  ["cerebras-key", "API_KEY", ["csk-"], `csk-[a-z0-9]{48}${END}`, "Cerebras: API keys"],
  ["together-key", "API_KEY", ["tgp_v1_"], `tgp_v1_${URL64}{40,50}`, "Together AI: API keys"],
  ["langfuse-key", "API_KEY", ["sk-lf-"], `sk-lf-${HEX}{8}(?:-${HEX}{4}){3}-${HEX}{12}`, "Langfuse: API keys"],
  ["firecrawl-key", "API_KEY", ["fc-"], `fc-${HEX}{32}${END}`, "Firecrawl: API keys"],
  ["e2b-key", "API_KEY", ["e2b_"], `e2b_${HEX}{40}${END}`, "E2B: API keys"],
  ["posthog-key", "API_KEY", ["phx_"], `phx_${ALNUM}{40,60}${END}`, "PostHog: personal API keys"],
  ["pinecone-key", "API_KEY", ["pcsk_"], String.raw`pcsk_\w{40,80}`, "Pinecone: API keys"],
  ["tavily-key", "API_KEY", ["tvly-"], `tvly-(?:dev-|prod-)?${ALNUM}{32}${END}`, "Tavily: API keys"],
  ["elevenlabs-key", "API_KEY", ["sk_"], `sk_${HEX}{48}${END}`, "ElevenLabs: API keys"],
  ["digitalocean-token", "TOKEN", ["dop_v1_", "doo_v1_", "dor_v1_"], `do[opr]_v1_${HEX}{64}${END}`, "DigitalOcean: token formats"],
  ["heroku-token", "TOKEN", ["hrku-"], `HRKU-${URL64}{36,64}`, "Heroku: API tokens"],
  [
    "vercel-token",
    "TOKEN",
    ["vcp_", "vci_", "vca_", "vcr_", "vck_", "vercel_blob_rw_"],
    `(?:vc[piark]_${ALNUM}{56}|vercel_blob_rw_${ALNUM}{16}_${ALNUM}{30,40})${END}`,
    "Vercel: token formats",
  ],
  ["netlify-token", "TOKEN", ["nfp_"], `nfp_${ALNUM}{36}${END}`, "Netlify: personal access tokens"],
  ["fly-token", "TOKEN", ["fm1_", "fm2_", "fo1_"], `(?:fm[12]_[A-Za-z0-9+/]{80,2000}={0,3}|fo1_${URL64}{43})`, "Fly.io: access tokens"],
  ["cloudflare-origin-key", "API_KEY", ["v1.0-"], String.raw`v1\.0-${HEX}{24}-${HEX}{146}${END}`, "Cloudflare: Origin CA keys"],
  ["tailscale-key", "API_KEY", ["tskey-"], `tskey-[a-z]{3,9}-${ALNUM}{10,30}-${ALNUM}{20,60}`, "Tailscale: keys"],
  [
    "doppler-token",
    "TOKEN",
    ["dp."],
    String.raw`dp\.(?:pt|ct|st|scim|audit|sa)\.(?:[\w-]{1,40}\.)?${ALNUM}{40,44}${END}`,
    "Doppler: token formats",
  ],
  ["pulumi-token", "TOKEN", ["pul-"], `pul-${HEX}{40}${END}`, "Pulumi: access tokens"],
  ["planetscale-token", "TOKEN", ["pscale_"], String.raw`pscale_(?:tkn|pw|oauth)_[\w.-]{32,64}`, "PlanetScale: tokens and passwords"],
  [
    "supabase-token",
    "TOKEN",
    ["sbp_", "sb_secret_"],
    `(?:sbp_${HEX}{40}${END}|sb_secret_${URL64}{20,60})`,
    "Supabase: access tokens and keys",
  ],
  ["databricks-token", "TOKEN", ["dapi"], `dapi${HEX}{32}(?:-\\d)?${END}`, "Databricks: personal access tokens"],
  ["vault-token", "TOKEN", ["hvs.", "hvb.", "hvr."], String.raw`hv[sbr]\.${URL64}{24,300}`, "HashiCorp Vault: token prefixes"],
  [
    "grafana-token",
    "TOKEN",
    ["glsa_", "glc_"],
    `(?:glsa_${ALNUM}{32}_${HEX}{8}|glc_[A-Za-z0-9+/]{32,400}={0,2})`,
    "Grafana: service account tokens",
  ],
  ["sentry-token", "TOKEN", ["sntryu_", "sntrys_"], `(?:sntryu_${HEX}{64}|sntrys_[\\w+/=-]{60,300})`, "Sentry: auth tokens"],
  ["new-relic-key", "API_KEY", ["nrak-", "nrii-"], `(?:NRAK-[A-Z0-9]{27}|NRII-${URL64}{32})${END}`, "New Relic: API keys"],
  ["dynatrace-token", "TOKEN", ["dt0c01."], String.raw`dt0[a-z]\d\d\.[A-Z0-9]{24}\.[A-Z0-9]{64}`, "Dynatrace: token format"],
  ["sonarqube-token", "TOKEN", ["squ_", "sqp_", "sqa_"], `sq[upa]_${HEX}{40}${END}`, "SonarQube: tokens"],
  ["docker-token", "TOKEN", ["dckr_"], `dckr_[ps]at_${URL64}{24,64}`, "Docker Hub: access tokens"],
  [
    "artifactory-key",
    "API_KEY",
    ["akcp", "cmvmd"],
    `(?:AKCp${ALNUM}{69}|cmVmd${ALNUM}{59})${END}`,
    "JFrog Artifactory: API keys and reference tokens",
  ],
  ["atlassian-token", "TOKEN", ["atatt3", "atctt3"], String.raw`AT[AC]TT3[\w=-]{100,300}`, "Atlassian: API tokens"],
  ["bitbucket-password", "PASSWORD", ["atbb"], `ATBB${ALNUM}{24,64}${END}`, "Bitbucket: app passwords"],
  ["linear-key", "API_KEY", ["lin_"], `lin_(?:api|oauth)_${ALNUM}{32,64}${END}`, "Linear: API keys"],
  ["notion-token", "TOKEN", ["ntn_", "secret_"], `(?:ntn_${ALNUM}{40,60}|secret_${ALNUM}{43})${END}`, "Notion: integration tokens"],
  ["figma-token", "TOKEN", ["figd_"], `figd_${URL64}{38,64}`, "Figma: personal access tokens"],
  ["postman-key", "API_KEY", ["pmak-"], `PMAK-${HEX}{24}-${HEX}{34}${END}`, "Postman: API keys"],
  ["airtable-token", "TOKEN", ["pat"], String.raw`pat${ALNUM}{14}\.${HEX}{64}${END}`, "Airtable: personal access tokens"],
  ["contentful-token", "TOKEN", ["cfpat-"], `CFPAT-${URL64}{43}`, "Contentful: personal access tokens"],
  ["typeform-token", "TOKEN", ["tfp_"], String.raw`tfp_[\w.=-]{59}`, "Typeform: personal access tokens"],
  ["buildkite-token", "TOKEN", ["bkua_"], `bkua_${HEX}{40}${END}`, "Buildkite: API access tokens"],
  [
    "circleci-token",
    "TOKEN",
    ["ccipat_", "ccipra_"],
    `CCIP(?:AT|RA)_${ALNUM}{22}_${HEX}{40}${END}`,
    "CircleCI: personal and project tokens",
  ],
  ["prefect-key", "API_KEY", ["pnu_"], `pnu_${ALNUM}{36}${END}`, "Prefect: API keys"],
  ["mapbox-token", "TOKEN", ["sk.eyj"], String.raw`sk\.eyJ[\w-]{40,200}\.[\w-]{20,30}`, "Mapbox: secret access tokens"],
  ["1password-token", "TOKEN", ["ops_eyj"], `ops_eyJ[A-Za-z0-9+/]{250,2000}={0,3}`, "1Password: service accounts"],
  ["shopify-token", "TOKEN", ["shpat_", "shpca_", "shppa_", "shpss_"], `shp(?:at|ca|pa|ss)_${HEX}{32}${END}`, "Shopify: access tokens"],
  [
    "square-token",
    "TOKEN",
    ["sq0csp-", "sq0atp-", "eaaa"],
    `(?:sq0(?:csp|atp)-${URL64}{22,43}|EAAA${URL64}{60})(?!${URL64})`,
    "Square: tokens",
  ],
  ["facebook-token", "TOKEN", ["eaac", "eaam"], `EAA[CM]${ALNUM}{100,300}${END}`, "Meta: access tokens"],
  [
    "braintree-token",
    "TOKEN",
    ["access_token$"],
    String.raw`access_token\$(?:production|sandbox)\$[a-z0-9]{16}\$${HEX}{32}`,
    "Braintree: access tokens",
  ],
  [
    "plaid-token",
    "TOKEN",
    ["access-"],
    `access-(?:production|development|sandbox)-${HEX}{8}(?:-${HEX}{4}){3}-${HEX}{12}`,
    "Plaid: access tokens",
  ],
  ["flutterwave-key", "API_KEY", ["flwseck"], `FLWSECK(?:_TEST)?-${HEX}{12,32}(?:-X)?${END}`, "Flutterwave: secret keys"],
  ["easypost-key", "API_KEY", ["ezak", "eztk"], `EZ[AT]K${ALNUM}{54}${END}`, "EasyPost: API keys"],
  ["shippo-token", "TOKEN", ["shippo_"], `shippo_(?:live|test)_${HEX}{40}${END}`, "Shippo: API tokens"],
  ["duffel-token", "TOKEN", ["duffel_"], `duffel_(?:live|test)_${URL64}{43}`, "Duffel: access tokens"],
  ["alibaba-key-id", "API_KEY", ["ltai"], `LTAI${ALNUM}{20}${END}`, "Alibaba Cloud: AccessKey"],
  ["age-key", "PRIVATE_KEY", ["age-secret-key-"], `AGE-SECRET-KEY-1[0-9A-Z]{58}${END}`, "age: file encryption, keys in Bech32"],
  [
    "jwt",
    "JWT",
    ["eyj"],
    String.raw`eyJ${URL64}{8,4000}={0,2}\.eyJ${URL64}{8,8000}={0,2}\.${URL64}{8,2000}`,
    "RFC 7519: three parts, the first two are JSON objects in base64url",
  ],
  [
    "slack-webhook",
    "WEBHOOK",
    ["https://hooks.slack.com/"],
    String.raw`https:\/\/hooks\.slack\.com\/(?:services|workflows|triggers)\/[A-Za-z0-9/]{20,200}`,
    "Slack: incoming webhooks",
  ],
  [
    "zapier-webhook",
    "WEBHOOK",
    ["https://hooks.zapier.com/"],
    String.raw`https:\/\/hooks\.zapier\.com\/hooks\/catch\/\d{4,12}\/[a-z0-9]{5,12}\/?`,
    "Zapier: webhooks",
  ],
];

/** Tokens with a mark inside: the pattern of the head, and the pattern from the mark on. */
const MARKED: readonly (readonly [...Row, head: string])[] = [
  ["telegram-bot-token", "TOKEN", [":aa"], `:AA${URL64}{33}(?!${URL64})`, "Telegram: Bot API", String.raw`\d{8,10}`],
  ["discord-token", "TOKEN", ["."], String.raw`\.${URL64}{6}\.${URL64}{27,40}(?!${URL64})`, "Discord: bot tokens", `[MNO]${ALNUM}{23,27}`],
  [
    "discord-webhook",
    "WEBHOOK",
    ["/api/webhooks/"],
    String.raw`\/api\/webhooks\/\d{10,22}\/${URL64}{40,100}`,
    "Discord: webhooks",
    String.raw`https:\/\/(?:[a-z]{1,10}\.)?discord(?:app)?\.com`,
  ],
  [
    "teams-webhook",
    "WEBHOOK",
    [".webhook.office.com/"],
    String.raw`\.webhook\.office\.com\/webhookb2\/[\w@-]{36,80}\/IncomingWebhook\/[\w/-]{32,120}`,
    "Microsoft Teams: incoming webhooks",
    String.raw`https:\/\/[\w-]{1,63}`,
  ],
  [
    "azure-client-secret",
    "API_KEY",
    ["q~"],
    String.raw`Q~[\w.~-]{31,34}(?![\w.~-])`,
    "Microsoft Entra: client secrets",
    String.raw`[\w.~]{3}\d`,
  ],
  ["terraform-token", "TOKEN", [".atlasv1."], String.raw`\.atlasv1\.[\w=-]{60,70}`, "HCP Terraform: API tokens", `${ALNUM}{14}`],
  ["mailchimp-key", "API_KEY", ["-us"], String.raw`-us\d{1,2}${END}`, "Mailchimp: API keys", `${HEX}{32}`],
];

/**
 * Keywords that are frequent in any text, with the pattern that follows each of them in every secret. It saves trying their rules thousands of
 * times.
 */
export const FREQUENT_KEYWORDS: ReadonlyMap<string, string> = new Map([
  [".", String.raw`${URL64}{6}\.`],
  ["sk", `${HEX}{32}`],
  ["re_", `${ALNUM}{8}_`],
  ["pat", String.raw`${ALNUM}{14}\.`],
  ...['"d', '"p', '"q', '"k'].map((member) => [member, String.raw`[pqi]?\\{0,7}"`] as const),
]);

/** Pattern of a key line, or of a whole key on one line. A lookahead makes it atomic, so that long keys need no backtracking. */
function keyLine(name: string): string {
  return String.raw`(?=(?<${name}>[A-Za-z0-9+/=]{16,16384}))\k<${name}>`;
}

const isNoExample = (secret: string): boolean => !isExample(secret);

/** Rules for tokens identified by their form. */
export const TOKEN_RULES: readonly SecretRule[] = [
  ...PREFIXED.map(([id, kind, keywords, pattern, source]): SecretRule => {
    return { id, kind, keywords, pattern: new RegExp(`${START}(?:${pattern})`, "y"), source, isSecret: isNoExample };
  }),
  ...MARKED.map(([id, kind, keywords, pattern, source, head]): SecretRule => {
    return { id, kind, keywords, pattern: new RegExp(`(?<=${START}(?<head>${head}))${pattern}`, "y"), source, isSecret: isNoExample };
  }),
  {
    id: "private-key",
    kind: "PRIVATE_KEY",
    keywords: ["-----begin "],
    // A truncated key has no end. Nothing after its first line is required, so that nothing is tried twice.
    pattern: new RegExp(
      String.raw`-----BEGIN (?:[A-Z0-9]{1,12} ){0,4}PRIVATE KEY(?: BLOCK)?-----${LINE_BREAK}` +
        String.raw`(?:[A-Za-z-]{1,30}: [^\r\n\\"]{1,100}${LINE_BREAK}){0,5}${keyLine("first")}(?:${LINE_BREAK}${keyLine("next")}){0,${MOST_LINES}}` +
        String.raw`(?:${LINE_BREAK}[A-Za-z0-9+/=]{1,80}(?=${LINE_BREAK}-----END)|${LINE_BREAK}=[A-Za-z0-9+/]{4})?` +
        String.raw`(?:${LINE_BREAK}-----END [A-Z0-9 ]{1,40}-----)?`,
      "y",
    ),
    source: "RFC 7468 (PEM), OpenSSH and OpenPGP keys",
    isSecret: () => true,
  },
  {
    id: "encoded-private-key",
    kind: "PRIVATE_KEY",
    keywords: ["ls0tls1crudjti"],
    pattern: /LS0tLS1CRUdJTi(?:BSU0EgUFJJVkFURS|BQUklWQVRF|BFQyBQUklWQVRF|BPUEVOU1NIIFBSSVZ|BFTkNSWVBURUQgUFJJVkFURS)[A-Za-z0-9+/=]{40,}/y,
    source: "the same in base64, as in configurations of Kubernetes",
    isSecret: () => true,
  },
  {
    id: "jwk",
    kind: "PRIVATE_KEY",
    keywords: ['"d', '"p', '"q', '"k'],
    pattern: /"(?:d|p|q|dp|dq|qi|k)\\{0,7}"\s?:\s?\\{0,7}"(?<secret>[\w-]{42,1400})\\{0,7}"/y,
    source: "RFC 7517, 7518: private members of JSON Web Keys",
    isSecret: isRandom,
  },
];
