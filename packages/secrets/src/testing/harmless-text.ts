import type { RandomText } from "./random-text.ts";

/** Makes a text that resembles secrets but contains none. */
type PieceMaker = (random: RandomText) => string;

const NAMES = ["token", "key", "secret", "password", "auth", "session", "user", "client", "cache", "index", "store", "config"];
const VERBS = ["reads", "writes", "checks", "rotates", "forgets", "hashes", "compares", "renews", "rejects", "keeps"];
const NOUNS = [
  "the token",
  "a password",
  "its secret",
  "an API key",
  "the bearer",
  "each session",
  "the certificate",
  "a digest",
  "the cookie",
];
const PACKAGES = [
  "left-pad",
  "@types/node",
  "passport",
  "jsonwebtoken",
  "keyv",
  "tokenizer",
  "secure-compare",
  "authorize-it",
  "crypto-basics",
];

const camel = (r: RandomText): string => r.pick(NAMES) + r.pick(["Id", "Name", "Count", "Hash", "Store", "Type", "Length", "Index"]);

/** Placeholders from documentation and templates. */
const PLACEHOLDERS = [
  "AWS_ACCESS_KEY_ID=AKIAIOSFODNN7EXAMPLE",
  "AWS_SECRET_ACCESS_KEY=wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
  "OPENAI_API_KEY=sk-...",
  "ANTHROPIC_API_KEY=sk-ant-api03-...",
  "ANTHROPIC_API_KEY=sk-ant-api03-xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
  "api_key = 'YOUR_API_KEY'",
  'apiKey: "<your-api-key-goes-here>"',
  "export GITHUB_TOKEN=ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
  "token: ${{ secrets.GITHUB_TOKEN }}",
  "password: ${DB_PASSWORD:-changeme}",
  'password: "{{ vault_db_password }}"',
  "DATABASE_URL=postgres://user:password@localhost:5432/mydb",
  "DATABASE_URL=postgresql://postgres:postgres@localhost:5432/postgres",
  "https://username:password@example.com/path",
  "mongodb://<user>:<password>@<host>/<database>",
  "redis://:${REDIS_PASSWORD}@redis:6379/0",
  "Authorization: Bearer <token>",
  "Authorization: Bearer $TOKEN_FROM_THE_VAULT_2",
  "Authorization: Basic dXNlcjpwYXNzd29yZA==",
  "-H 'X-API-Key: your-api-key-here-123456'",
  "client_secret=REPLACE_ME_WITH_A_SECRET_2024",
  "-----BEGIN PRIVATE KEY-----\n...\n-----END PRIVATE KEY-----",
  "-----BEGIN CERTIFICATE-----",
  "slack webhook: https://hooks.slack.com/services/T00000000/B00000000/XXXXXXXXXXXXXXXXXXXXXXXX",
  "STRIPE_KEY=sk_test_...",
  "STRIPE_KEY=pk_live_xxxxxxxxxxxxxxxxxxxxxxxx",
  "token = os.environ['SERVICE_TOKEN_2']",
  "const password = process.env.DB_PASSWORD_V2 ?? prompt('Password1?');",
  "password = getpass.getpass('Password for user1: ')",
  "if (password.length < 12) throw new Error('password: at least 12 characters');",
  "secretKeyRef: { name: db-credentials-v2, key: password }",
  'private_key: file("~/.ssh/id_ed25519")',
  "access_token: string; refresh_token?: string; expires_in: number;",
  "passwordHash: $2b$12$abcdefghijklmnopqrstuv",
  "machine api.example.org login me password ${PASSWORD}",
  "//registry.npmjs.org/:_authToken=${NPM_TOKEN}",
  "eyJhbGciOiJIUzI1NiJ9 is the header, eyJzdWIiOiIxIn0 the payload",
  "sk-learn-extensions-and-other-packages-2024",
  "curl -u user:password https://example.com",
];

/** Makers of harmless texts, by kind. */
export const HARMLESS_PIECES: Readonly<Record<string, PieceMaker>> = {
  uuids: (r) => `${camel(r)}: ${r.uuid()}, ${r.pick(NAMES)}_id=${r.uuid()}`,
  digests: (r) => `sha256:${r.hex(64)}  ${r.pick(NAMES)}.tar.gz\nsha512-${r.base64(86)}==\nmd5 ${r.hex(32)}`,
  "git log": (r) =>
    `commit ${r.hex(40)}\nMerge: ${r.hex(8)} ${r.hex(8)}\n    ${r.pick(VERBS)} ${r.pick(NOUNS)} (#${r.digits(4)})\nindex ${r.hex(7)}..${r.hex(7)} 100644`,
  base64: (r) => `data:image/png;base64,iVBORw0KGgo${r.base64(400)}==`,
  "source map": (r) => `"mappings":"${Array.from({ length: 30 }, () => r.of("ACEGIKMOQUSWYabcdefg", 4)).join(",;")}"`,
  "minified code": (r) =>
    `function ${r.alnum(1)}${r.of("abcdef", 2)}(e,t){var n=e.${camel(r)}||t["${r.pick(NAMES)}"];return n&&n.${r.pick(NAMES)}===!0?e.password=t.password:void 0,${r.of("abcxyz", 2)}(e.token,t.secret,"${camel(r)}")}`,
  code: (r) =>
    `export function ${camel(r)}(${r.pick(NAMES)}: string): boolean {\n  const ${camel(r)} = ${r.pick(NAMES)}.split(".")[${r.digits(1)}];\n  return ${r.pick(NAMES)}Token === ${camel(r)} && secret !== undefined; // ${r.pick(VERBS)} ${r.pick(NOUNS)}\n}`,
  "npm lock": (r) =>
    `"node_modules/${r.pick(PACKAGES)}": {\n  "version": "${r.digits(1)}.${r.digits(2)}.${r.digits(1)}",\n  "resolved": "https://registry.npmjs.org/${r.pick(PACKAGES)}/-/x-${r.digits(1)}.0.0.tgz",\n  "integrity": "sha512-${r.base64(86)}=="\n}`,
  "cargo lock": (r) => `[[package]]\nname = "${r.pick(PACKAGES)}"\nversion = "0.${r.digits(2)}.1"\nchecksum = "${r.hex(64)}"`,
  "go sum": (r) => `github.com/${r.lower(6)}/${r.pick(NAMES)} v1.${r.digits(1)}.0 h1:${r.base64(43)}=`,
  "access log": (r) =>
    `10.0.${r.digits(1)}.${r.digits(2)} - - [12/Mar/2026:10:${r.digits(2)}:00 +0000] "GET /api/${r.pick(NAMES)}/${r.digits(6)}?page=${r.digits(1)}&sort=token HTTP/1.1" 200 ${r.digits(4)} "-" "Mozilla/5.0" rid=${r.hex(32)}`,
  "json log": (r) =>
    `{"level":"info","time":17${r.digits(11)},"pid":${r.digits(4)},"msg":"${r.pick(VERBS)} ${r.pick(NOUNS)}","traceId":"${r.hex(32)}","spanId":"${r.hex(16)}","total_tokens":${r.digits(5)},"key":"${r.pick(NAMES)}/${r.digits(3)}"}`,
  "stack trace": (r) =>
    `    at ${camel(r)}.${r.pick(VERBS)} (/srv/app/node_modules/${r.pick(PACKAGES)}/lib/${r.pick(NAMES)}.js:${r.digits(3)}:${r.digits(2)})`,
  prose: (r) =>
    `The service ${r.pick(VERBS)} ${r.pick(NOUNS)} and ${r.pick(VERBS)} ${r.pick(NOUNS)}. Password: at least 8 characters. Whoever asks for ${r.pick(NOUNS)} gets version ${r.digits(1)}.${r.digits(1)}; secret: nobody ${r.pick(VERBS)} it. Token basics are in chapter ${r.digits(2)}.`,
  "hex dump": (r) => `0000${r.hex(4)}: ${Array.from({ length: 8 }, () => r.hex(4)).join(" ")}  ${r.of("abcXYZ.....:/@", 16)}`,
  "environment table": (r) =>
    `| \`${r.pick(NAMES).toUpperCase()}_TOKEN\` | text |  | The token that the service ${r.pick(VERBS)}; see https://example.org/docs/${r.pick(NAMES)}#${camel(r)} |`,
  "json schema": (r) =>
    `"${camel(r)}":{"type":"string","format":"password","minLength":${r.digits(1)},"description":"${r.pick(VERBS)} ${r.pick(NOUNS)}","password":"string","token":{"type":"string"}}`,
  "css and svg": (r) =>
    `.a{color:#${r.hex(6)};background:url(/static/${r.hex(20)}.woff2)} <path d="M${r.digits(2)}.${r.digits(3)},${r.digits(2)}c-${r.digits(1)}.${r.digits(2)},${r.digits(1)}.${r.digits(1)}"/>`,
  csv: (r) =>
    `${r.digits(5)},${r.pick(NAMES)},2026-0${r.digits(1)}-1${r.digits(1)}T10:${r.digits(2)}:00Z,${r.digits(3)}.${r.digits(2)},${r.lower(8)}@example.com,+1 555 01${r.digits(2)}`,
  addresses: (r) =>
    `https://example.org/${r.pick(NAMES)}/${r.hex(24)}?v=${r.hex(8)}#${camel(r)} git@github.com:${r.lower(5)}/${r.pick(NAMES)}.git s3://bucket/${r.uuid()}/part-${r.digits(5)}.parquet`,
  "docker images": (r) =>
    `ghcr.io/${r.lower(5)}/${r.pick(NAMES)}:1.${r.digits(1)}@sha256:${r.hex(64)} arn:aws:iam::${r.digits(12)}:role/${camel(r)}`,
  placeholders: (r) => r.pick(PLACEHOLDERS),
  "public keys": (r) =>
    `ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI${r.base64(43)} me@example\n-----BEGIN CERTIFICATE-----\n${r.base64(64)}\n${r.base64(64)}\n-----END CERTIFICATE-----`,
  "model output": (r) =>
    `usage: { input_tokens: ${r.digits(5)}, output_tokens: ${r.digits(4)}, cache_key: "${r.pick(NAMES)}:${r.digits(3)}" } id=msg_01${r.alnum(22)} tool_use_id=toolu_01${r.alnum(22)} req_${r.alnum(24)}`,
};

/** Returns a text of at least `characters` characters, with the same number of pieces of each kind, each on its own lines. */
export function harmlessText(random: RandomText, characters: number): string {
  const makers = Object.values(HARMLESS_PIECES);
  const pieces: string[] = [];
  for (let length = 0; length < characters;) {
    for (const make of makers) {
      const piece = make(random);
      pieces.push(piece);
      length += piece.length + 1;
    }
  }
  return pieces.join("\n");
}
