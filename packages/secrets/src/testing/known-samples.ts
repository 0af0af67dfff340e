import type { RandomText } from "./random-text.ts";

declare const btoa: (text: string) => string;

/** A secret with the surrounding text that is needed to recognise it. */
export interface Sample {
  readonly secret: string;
  readonly before?: string;
  readonly after?: string;
}

export type SampleMaker = (random: RandomText) => Sample;

/** Makers of samples by kind of secret, following the documented formats. */
export type SampleKinds = Readonly<Record<string, SampleMaker>>;

interface PemLines {
  readonly lines: number;
  readonly newline?: string;
}

export function pem(random: RandomText, label: string, { lines, newline = "\n" }: PemLines): string {
  const body = Array.from({ length: lines }, () => random.base64(64));
  return [`-----BEGIN ${label}-----`, ...body, `${random.base64(22)}==`, `-----END ${label}-----`].join(newline);
}

export function base64(text: string): string {
  return btoa(text);
}

/** Kinds whose scores were considered while writing the rules. */
export const KNOWN_SAMPLES: SampleKinds = {
  "aws access key": (r) => ({ secret: `${r.pick(["AKIA", "ASIA"])}${r.of("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567", 16)}` }),
  "aws secret key": (r) => ({ before: r.pick(["aws_secret_access_key = ", "AWS_SECRET_ACCESS_KEY="]), secret: r.base64(40) }),
  "aws session token": (r) => ({ before: "AWS_SESSION_TOKEN=", secret: `FwoGZXIvYXdzE${r.base64(240)}` }),
  "github token": (r) => ({ secret: `gh${r.pick(["p", "o", "u", "s", "r"])}_${r.alnum(36)}` }),
  "github fine-grained token": (r) => ({ secret: `github_pat_${r.alnum(22)}_${r.alnum(59)}` }),
  "gitlab token": (r) => ({ secret: `glpat-${r.base64url(20)}` }),
  "slack bot token": (r) => ({ secret: `xoxb-${r.digits(12)}-${r.digits(13)}-${r.alnum(24)}` }),
  "slack webhook": (r) => ({ secret: `https://hooks.slack.com/services/T${r.upper(8)}/B${r.upper(10)}/${r.alnum(24)}` }),
  "stripe key": (r) => ({ secret: `sk_live_${r.alnum(24)}` }),
  "openai project key": (r) => ({ secret: `sk-proj-${r.base64url(74)}T3BlbkFJ${r.base64url(74)}` }),
  "anthropic key": (r) => ({ secret: `sk-ant-api03-${r.base64url(93)}AA` }),
  "google api key": (r) => ({ secret: `AIza${r.base64url(35)}` }),
  "google client secret": (r) => ({ secret: `GOCSPX-${r.base64url(28)}` }),
  "google refresh token": (r) => ({ secret: `1//0${r.alnum(1)}${r.base64url(92)}` }),
  "npm token": (r) => ({ secret: `npm_${r.alnum(36)}` }),
  ".npmrc": (r) => ({ before: "//registry.npmjs.org/:_authToken=", secret: r.uuid() }),
  "pypi token": (r) => ({ secret: `pypi-AgEIcHlwaS5vcmc${r.base64url(140)}` }),
  ".pypirc": (r) => ({ before: `[pypi]\nusername = ${r.lower(6)}\npassword = `, secret: r.password() }),
  ".netrc": (r) => ({ before: `machine api.example.org login ${r.lower(6)} password `, secret: r.password() }),
  ".pgpass": (r) => ({ before: `db.example.net:5432:orders:${r.lower(6)}:`, secret: r.alnum(14) }),
  "mysql -p": (r) => ({ before: `mysql -h db -u ${r.lower(5)} -p`, secret: r.alnum(10), after: " orders" }),
  "form field": (r) => ({
    before: `username=${r.lower(6)}&password=`,
    secret: r.of("abcdefghijklmnopqrstuvwxyz", 12),
    after: "&remember=1",
  }),
  "sendgrid key": (r) => ({ secret: `SG.${r.base64url(22)}.${r.base64url(43)}` }),
  "mailgun key": (r) => ({ secret: `key-${r.hex(32)}` }),
  "twilio key": (r) => ({ secret: `SK${r.hex(32)}` }),
  "telegram token": (r) => ({ secret: `${r.pick(["1", "5", "7"])}${r.digits(9)}:AA${r.base64url(33)}` }),
  "discord token": (r) => ({ secret: `${r.pick(["MT", "NT", "OD"])}${r.alnum(24)}.${r.alnum(6)}.${r.base64url(38)}` }),
  "discord webhook": (r) => ({ secret: `https://discord.com/api/webhooks/${r.pick(["1", "9"])}${r.digits(17)}/${r.base64url(68)}` }),
  "hugging face token": (r) => ({ secret: `hf_${r.of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ", 34)}` }),
  "rsa private key": (r) => ({ secret: pem(r, "RSA PRIVATE KEY", { lines: 24 }) }),
  "openssh private key": (r) => ({ secret: pem(r, "OPENSSH PRIVATE KEY", { lines: 6 }) }),
  jwt: (r) => ({
    secret: `${base64(`{"alg":"HS256","typ":"JWT"}`)}.${base64(`{"sub":"${r.digits(10)}","iat":15162${r.digits(5)}}`).replace(/=+$/, "")}.${r.base64url(43)}`,
  }),
  "postgres url": (r) => ({
    before: `postgresql://${r.lower(5)}:`,
    secret: r.password().replace(/[#?]/g, "!"),
    after: "@db.example.net:5432/app",
  }),
  "basic auth url": (r) => ({ before: `https://${r.lower(6)}:`, secret: r.alnum(14), after: "@git.example.com/team/app.git" }),
  "azure storage key": (r) => ({
    before: `DefaultEndpointsProtocol=https;AccountName=${r.lower(8)};AccountKey=`,
    secret: `${r.base64(86)}==`,
    after: ";EndpointSuffix=core.windows.net",
  }),
  "azure sas": (r) => ({
    before: `https://${r.lower(8)}.blob.core.windows.net/c/f?sv=2023-01-03&se=2027-01-01&sr=b&sp=r&sig=`,
    secret: `${r.base64(43).replaceAll("+", "%2B").replaceAll("/", "%2F")}%3D`,
  }),
  "bearer header": (r) => ({ before: "Authorization: Bearer ", secret: r.base64url(43) }),
  "basic header": (r) => ({ before: "Authorization: Basic ", secret: base64(`${r.lower(6)}:${r.password()}`) }),
  "docker auth": (r) => ({
    before: `"auths":{"https://index.docker.io/v1/":{"auth":"`,
    secret: base64(`${r.lower(7)}:${r.alnum(20)}`),
    after: `"}}`,
  }),
  "kube config token": (r) => ({ before: "users:\n- name: admin\n  user:\n    token: ", secret: r.alnum(48) }),
  "password in yaml": (r) => ({ before: "database:\n  host: db\n  password: ", secret: r.password().replace("#", "!") }),
  "password in json": (r) => ({ before: `{"user":"app","password":"`, secret: r.password(), after: `","port":5432}` }),
  "password in xml": (r) => ({
    before: "<server><username>ci</username><password>",
    secret: `${r.alnum(12)}7x`,
    after: "</password></server>",
  }),
  "variable of kubernetes": (r) => ({ before: "env:\n  - name: DB_PASSWORD\n    value: ", secret: `${r.alnum(14)}7x` }),
  "variable of a container in json": (r) => ({ before: `{"name":"API_KEY","value":"`, secret: r.alnum(32), after: `"}` }),
  "key in app.config": (r) => ({ before: `<add key="ApiKey" value="`, secret: r.alnum(32), after: `" />` }),
  "gcp service account": (r) => ({
    before: `"private_key_id":"${r.hex(40)}","private_key":"`,
    secret: pem(r, "PRIVATE KEY", { lines: 25, newline: String.raw`\n` }),
    after: String.raw`\n","client_email":"x@y.iam.gserviceaccount.com"`,
  }),
  "digitalocean token": (r) => ({ secret: `dop_v1_${r.hex(64)}` }),
  "shopify token": (r) => ({ secret: `shpat_${r.hex(32)}` }),
  "databricks token": (r) => ({ secret: `dapi${r.hex(32)}` }),
  "vault token": (r) => ({ secret: `hvs.${r.base64url(95)}` }),
  "heroku token": (r) => ({ secret: `HRKU-AA${r.base64url(58)}` }),
  "teams webhook": (r) => ({
    secret: `https://${r.lower(7)}.webhook.office.com/webhookb2/${r.uuid()}@${r.uuid()}/IncomingWebhook/${r.hex(32)}/${r.uuid()}`,
  }),
  "sentry token": (r) => ({ secret: `sntryu_${r.hex(64)}` }),
  "cloudflare token": (r) => ({ before: "CLOUDFLARE_API_TOKEN=", secret: r.base64url(40) }),
  "tailscale key": (r) => ({ secret: `tskey-auth-${r.alnum(17)}-${r.alnum(32)}` }),
  "kube config key": (r) => ({ before: "client-key-data: ", secret: base64(pem(r, "RSA PRIVATE KEY", { lines: 8 })) }),
  "elevenlabs key": (r) => ({ secret: `sk_${r.hex(48)}` }),
  "cloudflare origin key": (r) => ({ secret: `v1.0-${r.hex(24)}-${r.hex(146)}` }),
  "nvidia key": (r) => ({ secret: `nvapi-${r.base64url(64)}` }),
  "cerebras key": (r) => ({ secret: `csk-${r.of("abcdefghijklmnopqrstuvwxyz0123456789", 48)}` }),
  "together key": (r) => ({ secret: `tgp_v1_${r.base64url(43)}` }),
  "langfuse key": (r) => ({ secret: `sk-lf-${r.uuid()}` }),
  "firecrawl key": (r) => ({ secret: `fc-${r.hex(32)}` }),
  "e2b key": (r) => ({ secret: `e2b_${r.hex(40)}` }),
  "posthog key": (r) => ({ secret: `phx_${r.alnum(43)}` }),
  "resend key": (r) => ({ secret: `re_${r.alnum(8)}_${r.alnum(24)}` }),
  "vercel token": (r) => ({ secret: `vcp_${r.alnum(56)}` }),
  "vercel blob token": (r) => ({ secret: `vercel_blob_rw_${r.alnum(16)}_${r.alnum(32)}` }),
  "doppler token": (r) => ({ secret: `dp.pt.${r.alnum(43)}` }),
};
