import type { SecretKind } from "@workrail/core";
import { isPassword, isPlaceholder, isRandom } from "./looks-random.ts";
import { IS, value } from "./named-value.ts";
import { PROGRAM_RULES } from "./program-rules.ts";
import { BLANK, LINE_BREAK, QUOTE, type SecretRule } from "./secret-rule.ts";

interface Named {
  readonly id: string;
  readonly kind: SecretKind;
  /** Suffixes of names. `_` matches itself, a hyphen, or nothing. */
  readonly names: readonly string[];
  readonly least: number;
  readonly isSecret: SecretRule["isSecret"];
}

/** Test output of such a name: `--- PASS: TestHold/case_12`. */
const VERDICT = /^PASS: (?:(?:Test|Benchmark|Example|Fuzz)[A-Z]\w*|test_\w+)(?:\/\S*)?$/;

function named({ id, kind, names, least, isSecret }: Named): SecretRule {
  const stems = names.map((name) => name.replaceAll("_", "[_-]?")).join("|");
  return {
    id,
    kind,
    keywords: names.flatMap((name) => [name, name.replaceAll("_", ""), name.replaceAll("_", "-")]),
    pattern: new RegExp(`(?:${stems})${IS}${value(least)}`, "iy"),
    source: "names that values stand under in configuration and code",
    isSecret,
  };
}

/** Rules for secrets identified by their name or the text before them. */
export const NAMED_RULES: readonly SecretRule[] = [
  {
    id: "url-password",
    kind: "PASSWORD",
    keywords: ["://"],
    pattern: /(?<=[A-Za-z]):\/\/(?<user>[^\s:/@"'<>]{0,128}):(?<secret>[^\s/@"'<>]{4,256})@/y,
    source: "RFC 3986: user information; connection strings of databases, queues and proxies",
    // A password that equals the user name is not a secret.
    isSecret: (secret, match) => !isPlaceholder(secret) && secret !== match.groups?.["user"],
  },
  {
    id: "azure-key",
    kind: "API_KEY",
    keywords: ["accountkey=", "sharedaccesskey="],
    pattern: /(?:AccountKey|SharedAccessKey)=(?<secret>[A-Za-z0-9+/]{43,90}={0,2})/iy,
    source: "Azure: connection strings of storage and messaging",
    isSecret: isRandom,
  },
  {
    id: "authorization",
    kind: "TOKEN",
    keywords: ["bearer ", "basic ", "token "],
    pattern: /(?<![A-Za-z])(?:Bearer|Basic|token) {1,3}(?<secret>[A-Za-z0-9._~+/-]{16,4000}={0,2})/iy,
    source: "RFC 6750, RFC 7617: the header Authorization",
    isSecret: isRandom,
  },
  {
    id: "cookie",
    kind: "TOKEN",
    keywords: ["cookie: "],
    pattern: /cookie: [^\r\n"\\]{0,400}?(?:sess|sid|token|auth|jwt)[\w.-]{0,24}=(?<secret>[^\s;"'\\]{16,2000})/iy,
    source: "RFC 6265: the headers Cookie and Set-Cookie",
    isSecret: isRandom,
  },
  {
    id: "signed-url",
    kind: "TOKEN",
    keywords: ["sig=", "signature="],
    pattern: /(?<=[?&]|\\u0026|x-amz-|x-goog-)(?:sig|Signature)=(?<secret>[A-Za-z0-9%+/_-]{16,1000})/iy,
    source: "Azure shared access signatures, presigned URLs of Amazon S3 and Google Cloud Storage",
    isSecret: isRandom,
  },
  {
    id: "netrc",
    kind: "PASSWORD",
    keywords: ["password "],
    pattern: new RegExp(String.raw`(?<=login${BLANK}{1,4}\S{1,100}${LINE_BREAK})password${BLANK}{1,4}(?<secret>[^\s"'\\]{4,256})`, "iy"),
    source: "GNU inetutils: .netrc",
    isSecret: (secret) => !isPlaceholder(secret),
  },
  {
    id: "command-password",
    kind: "PASSWORD",
    keywords: [" -u ", " --user ", "sshpass -p"],
    pattern: new RegExp(
      String.raw`(?: (?:-u|--user) (?:${QUOTE})?[\w.@+-]{1,64}:|sshpass -p ?(?:${QUOTE})?)(?<secret>[^\s"'\\?(][^\s"'\\]{5,255})`,
      "y",
    ),
    source: "options of curl and sshpass",
    isSecret: isPassword,
  },
  {
    id: "registry-auth",
    kind: "PASSWORD",
    keywords: ['auth"', "auth\\", "_auth"],
    pattern: new RegExp(String.raw`_?auth(?:${QUOTE})?\s?[:=]\s?(?:${QUOTE})?(?<secret>[A-Za-z0-9+/]{16,4000}={0,2})`, "y"),
    source: "config.json of Docker, .npmrc: name and password in base64",
    isSecret: isRandom,
  },
  ...PROGRAM_RULES,
  named({
    id: "password",
    kind: "PASSWORD",
    names: ["password", "passwd", "passphrase", "pwd", "_pass"],
    least: 8,
    isSecret: (secret, match) => isPassword(secret) && !VERDICT.test(match[0]),
  }),
  named({
    id: "named-key",
    kind: "API_KEY",
    names: [
      "api_key",
      "secret_key",
      "access_key",
      "private_key",
      "account_key",
      "master_key",
      "app_key",
      "auth_key",
      "signing_key",
      "encryption_key",
      "subscription_key",
      "service_key",
      "key_base",
      "client_secret",
      "secret",
    ],
    least: 16,
    isSecret: isRandom,
  }),
  named({
    id: "named-token",
    kind: "TOKEN",
    names: ["access_token", "refresh_token", "auth_token", "bot_token", "id_token", "session_token", "token"],
    least: 16,
    isSecret: isRandom,
  }),
];
