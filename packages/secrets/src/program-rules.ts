import { isPassword, isPlaceholder, isReference } from "./looks-random.ts";
import { IS, value } from "./named-value.ts";
import { ARGUMENT, BLANK, QUOTE, type SecretRule } from "./secret-rule.ts";

/** More characters of the same command, which may be a list of strings, or continue after a backslash at the end of a line. */
const GOES_ON = String.raw`(?:${QUOTE},${BLANK}{1,16}${QUOTE}|[^\r\n|;&\\]|\\{1,7}["']|\\\r?\n|\\{3}n|\\{6}n){0,160}?`;
/** Start of an option. */
const OPTION = String.raw`(?<=[\s"'])`;

/** Options and variables that pass a password to a program. The program names are their keywords. */
const OPTIONS: readonly string[] = [
  String.raw`(?:mysql|mariadb)[\w-]{0,12}${GOES_ON}${OPTION}-p`,
  String.raw`sshpass(?:\.exe)?${ARGUMENT}-p(?:${ARGUMENT})?`,
  String.raw`redis-cli${GOES_ON}${OPTION}(?:-a|--pass)${ARGUMENT}`,
  String.raw`mongo[a-z]{0,10}${GOES_ON}${OPTION}-p${ARGUMENT}`,
  String.raw`ldap[a-z]{3,8}${GOES_ON}${OPTION}-w${ARGUMENT}`,
  String.raw`curl${GOES_ON}${OPTION}(?:-u|--user|--proxy-user)(?:=|${ARGUMENT}|${QUOTE})?[\w.@%+-]{1,64}:`,
  String.raw`(?:PGPASSWORD|MYSQL_PWD|SSHPASS|REDISCLI_AUTH)${IS}`,
  String.raw`(?<=[\s"'](?:-|--[a-z]{2,12}))-pass(?:word|wd|phrase)?(?:=|${ARGUMENT})`,
];

/** Ports of PostgreSQL, of connection poolers, and of databases with its protocol. */
const PORTS = ["5432", "5433", "5439", "6432", "6543", "25060", "25061", "26257"] as const;
const PGPASS_FIELD = String.raw`[^:\s"'\\]{1,64}`;
/** A `:` in a password is escaped by a backslash. */
const PGPASS_REST = String.raw`${PGPASS_FIELD}:${PGPASS_FIELD}:(?<secret>(?:[^:\s"'\\]|\\{1,7}:){4,256})(?![^\s"'\\])`;

const FORM_NAME = String.raw`(?:password|passwd|passphrase|pwd|pass)\d?(?:%5[Dd]|\])?=`;
const FORM_JOINT = String.raw`(?:(?<!&)&(?!&)|\\u0026)`;
/** In code, other characters follow. */
const FORM_VALUE = String.raw`[\w.~%+*!$@^-]{4,256}(?![\w(){}:=.])`;

/** Rules for secrets passed to programs in a specific form, in which even a plain word is a password. */
export const PROGRAM_RULES: readonly SecretRule[] = [
  {
    id: "pgpass",
    kind: "PASSWORD",
    keywords: [":*:", ...PORTS.map((port) => `:${port}:`), "pgpass"],
    pattern: new RegExp(String.raw`(?:(?<=[\w.*\]]):(?<port>\*|${PORTS.join("|")}):|pgpass[^:]{1,200}:(?:\d{2,5}|\*):)${PGPASS_REST}`, "y"),
    source: "PostgreSQL: the password file .pgpass",
    isSecret: (secret, match) => isGiven(secret) && (match.groups?.["port"] !== "*" || isPassword(secret)),
  },
  {
    id: "client-password",
    kind: "PASSWORD",
    keywords: ["mysql", "mariadb", "sshpass", "redis-cli", "mongo", "ldap", "curl", "pgpassword", "mysql_pwd", "rediscli_auth", "-pass"],
    pattern: new RegExp(String.raw`(?:${OPTIONS.join("|")})${value(4)}`, "y"),
    source: "options and variables of mysql, psql, redis-cli, mongosh, ldapsearch, curl, sshpass; options named password",
    isSecret: (secret, match) => isGiven(secret) && (isPassword(secret) || !isProse(match[0])),
  },
  {
    id: "form-password",
    kind: "PASSWORD",
    keywords: ["password", "passwd", "passphrase", "pwd", "pass"].flatMap((name) => [`${name}=`, `${name}]=`, `${name}%5d=`, `${name}2=`]),
    pattern: new RegExp(
      String.raw`(?:(?<=(?:\/[\w.~%-]{0,64}\?|${FORM_JOINT})[\w.%[\]-]{0,40})|(?=[^\s&"'\\<>]{5,300}${FORM_JOINT}[\w.%[\]-]{1,40}=))` +
        String.raw`${FORM_NAME}(?<secret>${FORM_VALUE})`,
      "iy",
    ),
    source: "WHATWG URL: application/x-www-form-urlencoded",
    isSecret: (secret) => isGiven(decoded(secret)),
  },
];

/** False for the next option, a path, a port, a template name, or a default password. */
function isGiven(text: string): boolean {
  return !isPlaceholder(text) && !isReference(text) && !/^-|^[\d:/]{2,11}(?:\/(?:tcp|udp))?$/.test(text) && !NO_PASSWORD.test(text);
}

const NO_PASSWORD =
  /^(?:postgres|mysql|mariadb|redis|mongo|token|api[-_]?key|required|optional|forgot(?:ten)?|reset|change|wrong|invalid|prompt|stdin|hidden|option|value|file|env)$/i;

/** True for a name, a space and a word, as in a sentence about an option. */
function isProse(match: string): boolean {
  return /^-\S+\s|[A-Z](?:\\{0,7}["'])?\s*:/.test(match);
}

function decoded(text: string): string {
  return text.replaceAll(/%([2-7][0-9A-F])/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
}
