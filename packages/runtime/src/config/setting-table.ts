import type { EmbedderKind } from "@workrail/http-embedder";
import { DEFAULT_LIMITS, type Limits, type SecretsMode } from "@workrail/core";
import type { PersonalData } from "@workrail/secrets";
import type { SqliteDriverChoice } from "@workrail/sqlite-fs";
import type { TokenizerName } from "../token-counter.ts";

/**
 * Behaviour of a save when the disk fails. `memory`: it stays in this process's memory until the disk is back. `fail`: it fails and is kept
 * nowhere.
 */
export type Fallback = "memory" | "fail";

/**
 * Scope of answers to a call that names neither a project nor a checkpoint. `off`: all projects alike. `own-first`: lists put the own
 * project first, searches do so among equal matches. `strict`: the own project only.
 */
export type Isolation = "off" | "own-first" | "strict";

/** Tenant of a process that names none. */
export const DEFAULT_TENANT = "default";

/** Type of every setting after reading, by its name in `config.json`. Settings without a default may be absent. */
export interface SettingValues extends Limits {
  readonly dataDir: string;
  readonly store?: string;
  readonly storeToken?: string;
  readonly allowPlaintextStore: boolean;
  readonly tenant?: string;
  readonly tenantsFile?: string;
  readonly project?: string;
  readonly fallback?: Fallback;
  readonly readOnly: boolean;
  readonly retentionDays: number;
  readonly trashDays: number;
  readonly trashPercent: number;
  readonly auditDays: number;
  readonly warnPercent: number;
  readonly cleanupFromPercent: number;
  readonly cleanupToPercent: number;
  readonly lockTimeoutMs: number;
  readonly sqliteDriver: SqliteDriverChoice | "none";
  readonly blobs?: string;
  readonly maxAnswerTokens: number;
  readonly maxAnswerCharacters: number;
  readonly tokenizer: TokenizerName;
  readonly checkpointAutoSave: boolean;
  readonly hookSave: boolean;
  readonly hookConversation: boolean;
  readonly hookResume: boolean;
  readonly contextCompression: "basic" | "advanced";
  readonly condenserUrl?: string;
  readonly condenserModel?: string;
  readonly condenserKey?: string;
  readonly condenserTimeoutMs: number;
  readonly condenserInputTokens: number;
  readonly embedderUrl?: string;
  readonly embedderKind: EmbedderKind;
  readonly embedderModel?: string;
  readonly embedderKey?: string;
  readonly embedderTimeoutMs: number;
  readonly embedderQueryPrefix?: string;
  readonly embedderTextPrefix?: string;
  readonly rateLimitCheckpointSave: number;
  readonly prunedGoTo: "nowhere" | "trash";
  readonly isolation: Isolation;
  readonly secrets: SecretsMode | "off";
  readonly secretsPersonalData: PersonalData;
  readonly secretsExcept?: string;
  readonly toolsets?: string;
  readonly tools?: string;
  readonly http?: string;
  readonly httpUrl?: string;
  readonly httpHosts?: string;
  readonly httpOrigins?: string;
  readonly httpTokenFile?: string;
  readonly httpIssuer?: string;
  readonly httpProjectsClaim?: string;
  readonly httpTenantClaim?: string;
  readonly httpRateLimit: number;
  readonly logLevel: "debug" | "info" | "warn" | "error" | "silent";
  readonly encryption?: "enabled" | "disabled";
  readonly encryptionKey?: string;
  readonly encryptionKeyFile?: string;
  readonly encryptionPassphrase?: string;
  readonly encryptionRecoveryKey?: string;
  readonly allowPlaintextFiles: boolean;
}

export type SettingName = keyof SettingValues;

/** Type of a setting's value. A path is relative to the working directory, and in `config.json` to the directory of that file. */
export type SettingType =
  | { readonly kind: "whole"; readonly least: number; readonly most?: number }
  | {
      readonly kind: "choice";
      readonly choices: readonly string[];
      /** Choices that the texts true and false stand for. */ readonly flags?: { readonly true: string; readonly false: string };
    }
  | { readonly kind: "flag" }
  | { readonly kind: "address" }
  | { readonly kind: "text" }
  | { readonly kind: "path" };

/** Sources of a setting, in ascending precedence. `program`: given by the program that opens the store. */
export type SettingPlace = "file" | "environment" | "command line" | "program";

/** Settings that a program gives by name. An `undefined` one counts as absent. */
export type ProgramSettings = { readonly [Name in Exclude<SettingName, "dataDir">]?: SettingValues[Name] | undefined };

export interface Setting<T = unknown> {
  readonly type: SettingType;
  /** Value when the setting is not set. Absent when there is none, or when it is found elsewhere. */
  readonly default?: T;
  /** Description of a default that is found elsewhere. */
  readonly otherwise?: string;
  /** Purpose of the setting, in one or two sentences. */
  readonly meaning: string;
  /** Alternative name in every place, with lower precedence. */
  readonly alias?: string;
  /** Another product's environment variable for the same setting, with lower precedence. */
  readonly foreignVariable?: string;
  /** Default: all places. A program can give every setting but the data directory, which is an option of its own. */
  readonly places?: readonly SettingPlace[];
  /** Hidden where settings are listed. */
  readonly secret?: true;
  /** Value of the option without a value. */
  readonly bare?: string;
  /** A wrong value is ignored with a warning, because no data is at risk. */
  readonly lenient?: true;
}

/** The program's starter chooses the store and the project. The file is in the store and is shared by all its projects. */
const NOT_IN_FILE = ["environment", "command line"] as const;
/** Not on the command line, which other users of the machine can see. */
const NOT_ON_COMMAND_LINE = ["file", "environment"] as const;
/** Not in the file, which is next to the data that the key seals. */
const ONLY_ENVIRONMENT = ["environment"] as const;
/** A hundred years: keeps the resulting times within the range of milliseconds. */
const MOST_DAYS = 36_500;
/** Longest delay of a timer; a longer one would fire at once. */
const MOST_MS = 2_147_483_647;

/**
 * All settings. The file, the environment, the options, the schema and `docs/reference/settings.md` are made from or checked against this
 * table.
 */
export const SETTINGS: { readonly [Name in SettingName]: Setting<NonNullable<SettingValues[Name]>> } = {
  dataDir: {
    type: { kind: "path" },
    otherwise: "by platform",
    meaning: "The directory that holds everything.",
    alias: "storagePath",
    places: NOT_IN_FILE,
  },
  store: {
    type: { kind: "text" },
    otherwise: "the data directory",
    meaning:
      "The URL of the store: a PostgreSQL database, as postgres://user:password@host/database, or a node, as https://host. The data directory then holds only the data of this machine. Ignored if a source of higher precedence sets the data directory.",
    places: NOT_IN_FILE,
    secret: true,
  },
  storeToken: {
    type: { kind: "text" },
    meaning: "The bearer token for the node that holds the store.",
    places: ONLY_ENVIRONMENT,
    secret: true,
  },
  allowPlaintextStore: {
    type: { kind: "flag" },
    default: false,
    meaning: "Allow a node on another machine with an http: address, which sends all data unencrypted.",
    places: NOT_IN_FILE,
  },
  tenant: {
    type: { kind: "text" },
    otherwise: DEFAULT_TENANT,
    meaning:
      "The tenant in a shared database: tenants cannot see each other's data. Refused without a database. Ignored if a source of higher precedence sets the data directory.",
    places: NOT_IN_FILE,
  },
  tenantsFile: {
    type: { kind: "path" },
    meaning: "A JSON file with limits and retention of single tenants, by tenant name. They override all other sources.",
    places: NOT_IN_FILE,
  },
  project: {
    type: { kind: "path" },
    otherwise: "found from the working directory",
    meaning: "The root of the project, for saves and listings.",
    places: NOT_IN_FILE,
  },
  fallback: {
    type: choice("memory", "fail"),
    otherwise: "memory for the MCP server, else fail",
    meaning: "Treatment of a save while the disk is not writable: memory keeps it in the process, fail rejects it.",
  },
  readOnly: {
    type: { kind: "flag" },
    default: false,
    meaning:
      "Open the store read-only: nothing in the data directory is created or changed, and every write is refused. A missing store is not created.",
  },
  maxCheckpoints: limit("maxCheckpoints", "Maximum workflow checkpoints per session. A save beyond this limit removes the oldest."),
  prunedGoTo: {
    type: choice("nowhere", "trash"),
    default: "nowhere",
    meaning: "Destination of the checkpoints beyond maxCheckpoints: nowhere deletes them for good, trash moves them to the trash.",
  },
  maxAsides: limit("maxAsides", "Maximum asides per session, in addition to its checkpoints."),
  maxAsideBytes: limit("maxAsideBytes", "Maximum stored bytes of a session's asides."),
  maxCheckpointBytes: limit("maxCheckpointBytes", "Maximum bytes of a compressed checkpoint."),
  maxSessionBytes: limit("maxSessionBytes", "Maximum stored bytes of a session's live checkpoints."),
  maxTotalBytes: limit("maxTotalBytes", "Maximum stored bytes of all checkpoints, including the trash."),
  maxContextBytes: limit("maxContextBytes", "Maximum bytes of a context as JSON text."),
  maxDepth: limit("maxDepth", "Maximum nesting depth of objects and arrays in a context, including the context itself."),
  maxKeys: limit("maxKeys", "Maximum object members in a context, including nested ones."),
  retentionDays: {
    type: { kind: "whole", least: 0, most: MOST_DAYS },
    default: 30,
    meaning: "Days without a save or load after which a session goes to the trash. 0: never.",
  },
  trashDays: {
    type: { kind: "whole", least: 0, most: MOST_DAYS },
    default: 7,
    meaning: "Days in the trash before removal for good. 0: no trash, removals are final.",
  },
  trashPercent: {
    type: { kind: "whole", least: 0, most: 100 },
    default: 10,
    meaning: "Maximum size of the trash, in percent of maxTotalBytes.",
  },
  auditDays: {
    type: { kind: "whole", least: 0, most: MOST_DAYS },
    default: 365,
    meaning: "Days that rows stay in the audit log. 0: forever.",
  },
  warnPercent: {
    type: { kind: "whole", least: 1, most: 100 },
    default: 80,
    meaning: "Percent of maxTotalBytes above which the log warns once.",
  },
  cleanupFromPercent: {
    type: { kind: "whole", least: 1, most: 100 },
    default: 90,
    meaning: "Percent of maxTotalBytes above which the store is cleaned up.",
  },
  cleanupToPercent: {
    type: { kind: "whole", least: 1, most: 100 },
    default: 80,
    meaning: "Percent of maxTotalBytes at which that clean-up stops; at most cleanupFromPercent.",
  },
  lockTimeoutMs: {
    type: { kind: "whole", least: 0, most: MOST_MS },
    default: 5_000,
    meaning: "Milliseconds to wait for a lock of another process.",
  },
  sqliteDriver: {
    type: choice("auto", "better-sqlite3", "node:sqlite", "none"),
    default: "auto",
    meaning: "The library that runs SQLite.",
  },
  blobs: {
    type: { kind: "text" },
    otherwise: "none: kept beside the catalog",
    meaning: "The address of S3-compatible storage for the bytes of checkpoints, such as s3://bucket/prefix?region=eu-central-1.",
  },
  maxAnswerTokens: {
    type: { kind: "whole", least: 500 },
    default: 10_000,
    meaning: "Maximum tokens of an answer of the MCP server, counted by tokenizer.",
  },
  maxAnswerCharacters: {
    type: { kind: "whole", least: 2_000 },
    default: 45_000,
    meaning: "Maximum characters of an answer of the MCP server.",
  },
  tokenizer: { type: choice("o200k", "claude-estimate"), default: "o200k", meaning: "The token counter." },
  checkpointAutoSave: {
    type: { kind: "flag" },
    default: true,
    meaning: "Save a checkpoint at the end of each phase of a live context of the library.",
  },
  hookSave: { type: { kind: "flag" }, default: true, meaning: "Save checkpoints from hooks of a host." },
  hookConversation: {
    type: { kind: "flag" },
    default: true,
    meaning: "Also store the conversation when a hook saves a checkpoint.",
  },
  hookResume: { type: { kind: "flag" }, default: true, meaning: "Give saved work to the model when a session starts." },
  contextCompression: {
    type: choice("basic", "advanced"),
    default: "basic",
    meaning: "advanced asks a language model to condense; basic never does.",
  },
  condenserUrl: {
    type: { kind: "address" },
    meaning: "Endpoint for OpenAI's chat completions, up to and including the version, such as http://localhost:11434/v1.",
  },
  condenserModel: { type: { kind: "text" }, meaning: "Name of the model at the endpoint." },
  condenserKey: {
    type: { kind: "text" },
    meaning: "Sent to the endpoint as a bearer token.",
    places: NOT_ON_COMMAND_LINE,
    secret: true,
  },
  condenserTimeoutMs: {
    type: { kind: "whole", least: 1, most: MOST_MS },
    default: 20_000,
    meaning: "Maximum milliseconds to wait for the endpoint.",
  },
  condenserInputTokens: {
    type: { kind: "whole", least: 100 },
    default: 6_000,
    meaning: "Maximum tokens of an entry that are sent; they must fit the model's context window.",
  },
  embedderUrl: {
    type: { kind: "address" },
    meaning:
      "Endpoint for embeddings, for search by meaning. For openai up to and including the version, such as http://localhost:8080/v1; for ollama without a path, such as http://localhost:11434.",
  },
  embedderKind: {
    type: choice("openai", "ollama"),
    default: "openai",
    meaning: "The endpoint's protocol.",
  },
  embedderModel: {
    type: { kind: "text" },
    meaning: "Name of the model at the endpoint. After a change all checkpoints are embedded again in the background.",
  },
  embedderKey: {
    type: { kind: "text" },
    meaning: "Sent to the endpoint as a bearer token.",
    places: NOT_ON_COMMAND_LINE,
    secret: true,
  },
  embedderTimeoutMs: {
    type: { kind: "whole", least: 1, most: MOST_MS },
    default: 5_000,
    meaning: "Maximum milliseconds that a search waits for the endpoint.",
  },
  embedderQueryPrefix: {
    type: { kind: "text" },
    meaning: 'Prefix of each query, required by some models, such as "search_query: ".',
  },
  embedderTextPrefix: {
    type: { kind: "text" },
    meaning: 'Prefix of each text of a checkpoint, such as "search_document: ". After a change all checkpoints are embedded again.',
  },
  rateLimitCheckpointSave: {
    type: { kind: "whole", least: 0 },
    default: 10,
    meaning: "Maximum checkpoint_save calls a minute in one project; a burst may have twice as many. 0: no limit.",
    foreignVariable: "RATE_LIMIT_CHECKPOINT_SAVE",
  },
  isolation: {
    type: choice("off", "own-first", "strict"),
    default: "own-first",
    meaning:
      "Scope of calls that name no project, session or checkpoint. off: all projects alike. own-first: the current project first in lists, and on ties in searches. strict: only the current project.",
  },
  secrets: {
    type: choice("warn", "redact", "block", "off"),
    default: "warn",
    meaning: "Treatment of secrets in saved data: warn, redact (replace them), block (refuse the save), off (do not look for them).",
  },
  secretsPersonalData: {
    type: { ...choice("identifiers", "all", "off"), flags: { true: "all", false: "off" } },
    default: "identifiers",
    meaning:
      "Personal data that counts as secret. identifiers: payment cards, bank accounts and national ids. all: also e-mail addresses and telephone numbers.",
  },
  secretsExcept: { type: { kind: "text" }, meaning: "Names of secret rules to skip, separated by commas." },
  toolsets: {
    type: { kind: "text" },
    otherwise: "all",
    meaning: "Groups of tools that the MCP server offers, separated by commas: workflow, project, sessions.",
    places: NOT_IN_FILE,
  },
  tools: {
    type: { kind: "text" },
    otherwise: "all",
    meaning: "Single tools that the MCP server offers in addition to toolsets, separated by commas.",
    places: NOT_IN_FILE,
  },
  http: {
    type: { kind: "text" },
    meaning: "Makes the MCP server listen on HTTP at this host:port instead of serving standard input.",
    places: NOT_IN_FILE,
    bare: "127.0.0.1:8377",
  },
  httpUrl: {
    type: { kind: "address" },
    otherwise: "from http",
    meaning: "The address of the HTTP server for its clients, up to and including /mcp. An issuer's tokens must have it as their audience.",
  },
  httpHosts: {
    type: { kind: "text" },
    meaning: "Host names that requests may be addressed to, in addition to loopback and the host of httpUrl, separated by commas.",
  },
  httpOrigins: {
    type: { kind: "text" },
    meaning: "Host names of web pages that may send requests, in addition to loopback and the host of httpUrl, separated by commas.",
  },
  httpTokenFile: {
    type: { kind: "path" },
    meaning: "A file with the hashes of bearer tokens, readable only by its owner.",
  },
  httpIssuer: {
    type: { kind: "address" },
    meaning: "The authorization server whose JWTs are accepted as bearer tokens.",
  },
  httpProjectsClaim: {
    type: { kind: "text" },
    meaning:
      "Claim of the issuer's JWTs that lists the only projects of a caller, as absolute paths. Unset: JWTs are valid for the whole store.",
  },
  httpTenantClaim: {
    type: { kind: "text" },
    meaning: "Claim of the issuer's JWTs that names the tenant of a caller. Unset: JWTs are valid for the server's own tenant.",
  },
  httpRateLimit: {
    type: { kind: "whole", least: 0 },
    default: 600,
    meaning: "Maximum requests a minute over HTTP with one token, or from one address where no token is needed. 0: no limit.",
  },
  logLevel: {
    type: choice("debug", "info", "warn", "error", "silent"),
    default: "warn",
    meaning: "The lowest level that the MCP server logs to standard error.",
    lenient: true,
  },
  encryption: {
    type: choice("enabled", "disabled"),
    otherwise: "as the store is",
    meaning: "enabled seals everything in the store with AES-256-GCM; an unencrypted store is sealed when it is opened.",
  },
  encryptionKey: {
    type: { kind: "text" },
    meaning: "The key of a sealed store: 32 bytes in base64 or hexadecimal.",
    places: ONLY_ENVIRONMENT,
    secret: true,
  },
  encryptionKeyFile: {
    type: { kind: "path" },
    meaning: "A file with the key, readable only by its owner.",
  },
  encryptionPassphrase: {
    type: { kind: "text" },
    meaning: "A passphrase from which the key is derived.",
    places: ONLY_ENVIRONMENT,
    secret: true,
  },
  encryptionRecoveryKey: {
    type: { kind: "text" },
    meaning: "The recovery key that was shown when the store was sealed. It overrides all other keys.",
    places: ONLY_ENVIRONMENT,
    secret: true,
  },
  allowPlaintextFiles: {
    type: { kind: "flag" },
    default: false,
    meaning: "Let a sealed store write unencrypted files, such as exports.",
  },
};

export const SETTING_NAMES: readonly SettingName[] = Object.keys(SETTINGS) as SettingName[];

export function isSettingName(name: string): name is SettingName {
  return Object.hasOwn(SETTINGS, name);
}

/** Returns the names of a setting in the file, the preferred one first. */
export function namesOf(name: SettingName): readonly string[] {
  const { alias } = SETTINGS[name];
  return alias === undefined ? [name] : [name, alias];
}

export function canBeIn(name: SettingName, place: SettingPlace): boolean {
  return place === "program" ? name !== "dataDir" : (SETTINGS[name].places?.includes(place) ?? true);
}

/** Returns the environment variable of a setting: `maxDepth` gives `WORKRAIL_MAX_DEPTH`. */
export function variableOf(name: string): string {
  return `WORKRAIL_${name.replaceAll(/[A-Z]/gu, (letter) => `_${letter}`).toUpperCase()}`;
}

/** Returns the command-line option of a setting: `maxDepth` gives `--max-depth`. */
export function optionOf(name: string): string {
  return `--${name.replaceAll(/[A-Z]/gu, (letter) => `-${letter.toLowerCase()}`)}`;
}

/** Options that may stand without a value, with the value that they then have. */
export const BARE_OPTIONS: ReadonlyMap<string, string> = new Map(
  SETTING_NAMES.flatMap((name) => {
    const { type, bare = type.kind === "flag" ? "true" : undefined } = SETTINGS[name];
    return bare === undefined ? [] : namesOf(name).map((each) => [optionOf(each), bare] as const);
  }),
);

/** Describes the allowed values in words: "a whole number from 1". */
export function describeType(type: SettingType): string {
  switch (type.kind) {
    case "whole":
      return `a whole number ${type.most === undefined ? "from" : "between"} ${type.least}${type.most === undefined ? "" : ` and ${type.most}`}`;
    case "choice":
      return oneOf(type.choices);
    case "flag":
      return oneOf(["true", "false"]);
    case "address":
      return "an address with http or https";
    case "text":
      return "a text that is not empty";
    case "path":
      return "a path";
  }
}

function oneOf(words: readonly string[]): string {
  return `${words.slice(0, -1).join(", ")} or ${words.at(-1) ?? ""}`;
}

function limit(name: keyof Limits, meaning: string): Setting<number> {
  return { type: { kind: "whole", least: 1 }, default: DEFAULT_LIMITS[name], meaning };
}

function choice(...choices: readonly string[]): Extract<SettingType, { readonly kind: "choice" }> {
  return { kind: "choice", choices };
}
