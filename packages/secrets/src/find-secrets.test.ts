import { describe, expect, it } from "vitest";
import { redact } from "@workrail/core";
import { findSecrets } from "./find-secrets.ts";

/** Joins made-up secrets at run time, so that repository scanners do not report this file. */
const made = (...parts: readonly string[]): string => parts.join("");
/** Returns letters and digits in pseudo-random order, the same on every call. */
function noise(length: number, alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"): string {
  let state = length * 7_919 + alphabet.length;
  const next = (): number => (state = (state * 48_271) % 2_147_483_647) / 2_147_483_647;
  return Array.from({ length }, () => alphabet[Math.floor(next() * alphabet.length)]).join("");
}
const hex = (length: number): string => noise(length, "9f3a7c1e5b0d8246");
const caps = (length: number): string => noise(length, "QX7KZ2MWB4TRJ6PH3LN5");

const SECRETS: Readonly<Record<string, readonly string[]>> = {
  "aws-access-key-id": [made("AK", "IA", caps(16)), made("AS", "IA", caps(16))],
  "github-token": [made("gh", "p_", noise(36)), made("gh", "s_", noise(80))],
  "github-fine-grained-token": [made("github", "_pat_", noise(22), "_", noise(59))],
  "gitlab-token": [made("glp", "at-", noise(20)), made("glr", "t-t1_", noise(20))],
  "slack-token": [made("xox", "b-123456789012-", noise(24)), made("xa", "pp-1-A0123-4567-", hex(64))],
  "stripe-key": [made("sk", "_live_", noise(24)), made("rk", "_test_", noise(99)), made("wh", "sec_", noise(32))],
  "anthropic-key": [made("sk", "-ant-", "api03-", noise(93), "-AA")],
  "openai-key": [made("sk", "-proj-", noise(40), "_", noise(40)), made("sk", "-", noise(48)), made("sk", "-", hex(32))],
  "google-api-key": [made("AI", "za", noise(35))],
  "google-oauth": [made("ya", "29.", noise(120)), made("GOC", "SPX-", noise(28))],
  "npm-token": [made("np", "m_", noise(36))],
  "pypi-token": [made("py", "pi-AgE", noise(160))],
  "sendgrid-key": [made("S", "G.", noise(22), ".", noise(43))],
  "mailgun-key": [made("ke", "y-", hex(32))],
  "twilio-key": [made("S", "K", hex(32))],
  "telegram-bot-token": [made("123456789", ":A", "A", noise(33))],
  "discord-token": [made("M", noise(25), ".", noise(6), ".", noise(38))],
  "hugging-face-token": [made("h", "f_", noise(34))],
  "groq-key": [made("gs", "k_", noise(52))],
  "replicate-token": [made("r", "8_", noise(37))],
  "digitalocean-token": [made("do", "p_v1_", hex(64))],
  "shopify-token": [made("shp", "at_", hex(32))],
  "linear-key": [made("lin", "_api_", noise(40))],
  "notion-token": [made("nt", "n_", noise(46)), made("sec", "ret_", noise(43))],
  "vault-token": [made("hv", "s.", noise(95))],
  "databricks-token": [made("da", "pi", hex(32)), made("da", "pi", hex(32), "-2")],
  "grafana-token": [made("gl", "sa_", noise(32), "_", hex(8))],
  "docker-token": [made("dck", "r_pat_", noise(27))],
  "atlassian-token": [made("ATA", "TT3", noise(180), "=", hex(8))],
  "azure-client-secret": [made(noise(3), "8", "Q~", noise(34))],
  "age-key": [made("AGE-SEC", "RET-KEY-1", caps(58))],
  jwt: [made("ey", "J", noise(33), ".ey", "J", noise(70), ".", noise(43))],
  "private-key": [
    ["-----BEGIN RSA PRIV", "ATE KEY-----\n", noise(64), "\n", noise(64), "\n", noise(20), "==\n-----END RSA PRIV", "ATE KEY-----"].join(
      "",
    ),
    [
      "-----BEGIN OPENSSH PRIV",
      String.raw`ATE KEY-----\n`,
      noise(70),
      String.raw`\n`,
      noise(70),
      String.raw`\n-----END OPENSSH PRIV`,
      "ATE KEY-----",
    ].join(""),
    [
      "-----BEGIN PGP PRIV",
      "ATE KEY BLOCK-----\nVersion: 2\n\n",
      noise(64),
      "\n",
      noise(64),
      "\n=aB3d\n-----END PGP PRIV",
      "ATE KEY BLOCK-----",
    ].join(""),
    ["-----BEGIN PRIV", "ATE KEY-----\n", noise(64), "\n", noise(64)].join(""),
  ],
};

/** Secrets with their surroundings. */
const IN_PLACE: readonly (readonly [rule: string, before: string, secret: string, after: string])[] = [
  ["url-password", "postgres://app:", "s3cr3t!pass", "@db.internal:5432/orders"],
  ["url-password", "DATABASE_URL=mongodb+srv://root:", "p%40ss", "@cluster0.example.net/?retryWrites=true"],
  ["url-password", "redis://:", "hunter22", "@cache:6379"],
  ["azure-key", "DefaultEndpointsProtocol=https;AccountName=x;AccountKey=", made(noise(86), "=="), ";EndpointSuffix=core.windows.net"],
  ["authorization", "Authorization: Bearer ", noise(40), ""],
  ["authorization", "-H 'authorization: Basic ", made(noise(30), "="), "' https://x.example"],
  ["signed-url", "https://x.blob.core.windows.net/a?sv=2024-01-01&sig=", made(noise(43), "%3D"), "&se=2026"],
  ["slack-webhook", "post to ", made("https://hooks.", "slack.com/services/T0123/B0123/", noise(24)), " when done"],
  ["discord-webhook", "", made("https://discord.com/api/web", "hooks/123456789012345678/", noise(68)), ""],
  ["password", "DB_PASSWORD=", "Winter2024!", ""],
  ["password", '{"user":"app","password":"', "tr0ub4dor&3x".replace("&", "-"), '","port":5432}'],
  ["password", String.raw`{"body":"{\"passwd\": \"`, "k3epThis0ut", String.raw`\"}"}`],
  ["named-key", "aws_secret_access_key = ", noise(40, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOP0123456789/+"), ""],
  ["named-key", "const apiKey = '", noise(32), "';"],
  ["named-key", "client-secret: ", hex(40), "\n"],
  ["named-token", '"refreshToken": "', noise(64), '"'],
  ["named-token", "https://api.example.org/v1?token=", hex(32), "&page=2"],
];

const HARMLESS = [
  "commit 9f3c2ab07d1e4b5f6a7c8d9e0f1a2b3c4d5e6f70",
  `sha256:${hex(64)}`,
  `integrity: sha512-${noise(86)}==`,
  "550e8400-e29b-41d4-a716-446655440000",
  `data:image/png;base64,${noise(4_000, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")}==`,
  "-----BEGIN PUBLIC KEY-----\nMIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEA\n-----END PUBLIC KEY-----",
  "A file that begins with -----BEGIN PRIVATE KEY----- must never be committed.",
  "postgres://app:${DB_PASSWORD}@db/orders and https://user:<password>@host and amqp://u:***@q",
  "https://example.org:8443/a/b?c=d and git@github.com:owner/name.git and http://[::1]:3000/",
  'password: "your-password", apiKey: "YOUR_API_KEY", token: "<token>", secret: "xxxxxxxxxxxxxxxxxxxxx"',
  "password = config.database.password; token = await readToken(request); apiKey: process.env.API_KEY",
  "The password is required. Secret: nobody reads the manual. token: expired",
  "max_tokens: 128000, total_tokens=9876543210987654, tokens: 12",
  "sk-toggleable__label-arrow task-management-of-the-project risk-assessment-2024-01-15-final-version",
  "src/secrets/find-secrets.ts:12:5 - error TS2345 in packages/core/src/use-cases/save-checkpoint.ts",
  "Basic understanding-of-the-domain, bearer of-the-good-news-everyone",
  "eyJ is how a token begins; a.b.c; eyJhbGciOiJub25lIn0",
  "key-value-store keystroke monkey-patch donkey-0123",
];

describe("findSecrets", () => {
  const rows = Object.entries(SECRETS).flatMap(([rule, secrets]) => secrets.map((secret) => ({ rule, secret })));

  it.each(rows)("finds $rule as a whole, in JSON, a call and a sentence", ({ rule, secret }) => {
    for (const [before, after] of [
      ["", ""],
      ['{"a":"', '"}'],
      ["run(", ")"],
      ["It says ", ", and works."],
      ["X=", "\n"],
    ] as const) {
      const text = `${before}${secret}${after}`;
      const found = findSecrets(text);
      expect(found.map((each) => each.rule)).toEqual([rule]);
      expect(found.map(({ start, end }) => text.slice(start, end))).toEqual([secret]);
    }
  });

  it.for(IN_PLACE)("finds by %s exactly the secret after %s", ([rule, before, secret, after]) => {
    const found = findSecrets(`${before}${secret}${after}`);
    expect(found).toEqual([{ rule, kind: expect.any(String), start: before.length, end: before.length + secret.length }]);
  });

  it.each(HARMLESS)("ignores: %s", (text) => {
    expect(findSecrets(text).map(({ rule, start, end }) => [rule, text.slice(start, end)])).toEqual([]);
  });

  it("finds each of many, and nothing in two thousand lines of ids and digests", () => {
    const all = rows.map(({ secret }) => secret);
    expect(findSecrets(all.join("\n")).length).toBe(all.length);
    const lines = Array.from({ length: 2_000 }, (_, line) => `${line} ${hex(32 + (line % 33))} ${noise(16 + (line % 48))}`);
    expect(findSecrets(lines.join("\n"))).toEqual([]);
  });

  it.each([
    "eyJ-",
    "eyJaaaaaaaa.",
    "sk-",
    "-----BEGIN PRIVATE KEY-----\n",
    "a://a:",
    "password=",
    'password: \\"',
    "ghp_",
    "AKIA",
    "Bearer ",
    "a.",
    "key-",
    "-",
    `-----BEGIN PRIVATE KEY-----\nA: b\n`,
    `${"A".repeat(20)}\n`,
    "token= ",
    "://:",
    "MMMMMMMMMMMMMMMMMMMMMMMM.aaaaaa.",
  ])("takes no longer for a text made to be slow: %j again and again", (piece) => {
    const time = (characters: number): number => {
      const text = piece.repeat(Math.ceil(characters / piece.length));
      const started = performance.now();
      findSecrets(text);
      return performance.now() - started;
    };
    time(20_000);
    // A quadratic rule takes minutes for this much text.
    expect(time(1_000_000)).toBeLessThan(30_000);
  });
});

describe("redact", () => {
  it("replaces secrets by names, the same secret always by the same name", () => {
    const [first, second] = [made("gh", "p_", noise(36)), made("gl", "pat-", noise(20))];
    const text = `git clone with ${first}, then ${second}, then ${first}; DB_PASSWORD=${made("Winter", "2024!")}`;
    expect(redact(text, findSecrets)).toEqual({
      text: "git clone with [TOKEN_1], then [TOKEN_2], then [TOKEN_1]; DB_PASSWORD=[PASSWORD_1]",
      secrets: 3,
    });
  });

  it("leaves no part of a secret that two rules match differently", () => {
    const secret = made("gh", "p_", noise(36));
    for (const text of [`token=${secret}!more`, `https://me:${secret}@github.com`, `Bearer ${secret}`]) {
      expect(redact(text, findSecrets).text).not.toContain(secret.slice(4));
      expect(redact(text, findSecrets).secrets).toBe(1);
    }
  });

  it("returns a text without secrets unchanged, and finds nothing in its own output", () => {
    expect(redact("nothing here", findSecrets)).toEqual({ text: "nothing here", secrets: 0 });
    const once = redact(IN_PLACE.map((parts) => parts.slice(1).join("")).join("\n"), findSecrets).text;
    expect(redact(once, findSecrets)).toEqual({ text: once, secrets: 0 });
  });
});
