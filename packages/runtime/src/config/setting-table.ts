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

/** Type of every setting after reading, by its name in `config.json`. Settings without a default may be absent. */
export interface SettingValues extends Limits {
  readonly dataDir: string;
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

/** Sources of a setting, in ascending precedence. */
export type SettingPlace = "file" | "environment" | "command line";

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
  /** Environment variable of another product for the same setting, with lower precedence than ours. */
  readonly foreignVariable?: string;
  /** Default: all places. */
  readonly places?: readonly SettingPlace[];
  /** Hidden where settings are listed. */
  readonly secret?: true;
  /** A wrong value is ignored with a warning, because no data is at risk. */
  readonly lenient?: true;
}

/** The program's starter chooses the store and the project. The file lies in the store and is shared by all projects in it. */
const NOT_IN_FILE = ["environment", "command line"] as const;
/** Not on the command line, which other users of the machine can see. */
const NOT_ON_COMMAND_LINE = ["file", "environment"] as const;
/** Not in the file, which lies beside the data that the key seals. */
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
  project: {
    type: { kind: "path" },
    otherwise: "found from the working directory",
    meaning: "The root of the project that saves belong to and that listings show.",
    places: NOT_IN_FILE,
  },
  fallback: {
    type: choice("memory", "fail"),
    otherwise: "memory for the MCP server, else fail",
    meaning: "What becomes of a save when the disk cannot be written to.",
  },
  readOnly: {
    type: { kind: "flag" },
    default: false,
    meaning:
      "Whether the store is only read: nothing in the data directory is made or changed, and whatever would is refused. A store that is not there is not made.",
  },
  maxCheckpoints: limit("maxCheckpoints", "Workflow checkpoints that a session keeps. A save beyond it removes the oldest."),
  prunedGoTo: {
    type: choice("nowhere", "trash"),
    default: "nowhere",
    meaning: "Where a save beyond maxCheckpoints sends the oldest: nowhere, for good, or to the trash.",
  },
  maxAsides: limit("maxAsides", "Asides that a session keeps, beside its checkpoints."),
  maxAsideBytes: limit("maxAsideBytes", "The most bytes the asides of a session may take as stored."),
  maxCheckpointBytes: limit("maxCheckpointBytes", "The most bytes a checkpoint may take compressed."),
  maxSessionBytes: limit("maxSessionBytes", "The most bytes the live checkpoints of a session may take as stored."),
  maxTotalBytes: limit("maxTotalBytes", "The most bytes all checkpoints of the store may take as stored, those in the trash included."),
  maxContextBytes: limit("maxContextBytes", "The most bytes a context may have as JSON text."),
  maxDepth: limit("maxDepth", "The most levels of objects and arrays in a context, the context itself being the first."),
  maxKeys: limit("maxKeys", "The most object members in a whole context, nested ones included."),
  retentionDays: {
    type: { kind: "whole", least: 0, most: MOST_DAYS },
    default: 30,
    meaning: "Sessions that nobody saved to or loaded from for this many days go to the trash. 0: none does.",
  },
  trashDays: {
    type: { kind: "whole", least: 0, most: MOST_DAYS },
    default: 7,
    meaning: "How many days things stay in the trash before they are removed for good. 0: there is no trash, what goes is gone.",
  },
  trashPercent: {
    type: { kind: "whole", least: 0, most: 100 },
    default: 10,
    meaning: "The most that the trash may take, in percent of maxTotalBytes.",
  },
  auditDays: {
    type: { kind: "whole", least: 0, most: MOST_DAYS },
    default: 365,
    meaning: "How many days rows stay in the audit log. 0: for ever.",
  },
  warnPercent: {
    type: { kind: "whole", least: 1, most: 100 },
    default: 80,
    meaning: "A store that holds more than this, in percent of maxTotalBytes, is warned of, once.",
  },
  cleanupFromPercent: {
    type: { kind: "whole", least: 1, most: 100 },
    default: 90,
    meaning: "A store that holds more than this, in percent of maxTotalBytes, is cleaned up.",
  },
  cleanupToPercent: {
    type: { kind: "whole", least: 1, most: 100 },
    default: 80,
    meaning: "How far down that goes, in percent of maxTotalBytes; no further than to cleanupFromPercent.",
  },
  lockTimeoutMs: {
    type: { kind: "whole", least: 0, most: MOST_MS },
    default: 5_000,
    meaning: "How long to wait, in milliseconds, for a lock that another process holds.",
  },
  sqliteDriver: {
    type: choice("auto", "better-sqlite3", "node:sqlite", "none"),
    default: "auto",
    meaning: "The library that runs SQLite.",
  },
  maxAnswerTokens: {
    type: { kind: "whole", least: 500 },
    default: 10_000,
    meaning: "The most tokens of an answer of the MCP server, counted by tokenizer.",
  },
  maxAnswerCharacters: {
    type: { kind: "whole", least: 2_000 },
    default: 45_000,
    meaning: "The most characters of an answer of the MCP server.",
  },
  tokenizer: { type: choice("o200k", "claude-estimate"), default: "o200k", meaning: "What tokens are counted with." },
  checkpointAutoSave: {
    type: { kind: "flag" },
    default: true,
    meaning: "Whether a live context of the library saves a checkpoint at the end of each phase.",
  },
  hookSave: { type: { kind: "flag" }, default: true, meaning: "Whether hooks of a host save checkpoints." },
  hookConversation: {
    type: { kind: "flag" },
    default: true,
    meaning: "Whether hooks also keep the conversation when they save a checkpoint.",
  },
  hookResume: { type: { kind: "flag" }, default: true, meaning: "Whether hooks hand saved work to the model when a session starts." },
  contextCompression: {
    type: choice("basic", "advanced"),
    default: "basic",
    meaning: "With advanced, a language model is asked for what has to be condensed; with basic, nobody is.",
  },
  condenserUrl: {
    type: { kind: "address" },
    meaning: "Where the chat completions of OpenAI are spoken, up to and with the version, such as http://localhost:11434/v1.",
  },
  condenserModel: { type: { kind: "text" }, meaning: "The model, as the endpoint calls it." },
  condenserKey: {
    type: { kind: "text" },
    meaning: "Sent to the endpoint as a bearer token.",
    places: NOT_ON_COMMAND_LINE,
    secret: true,
  },
  condenserTimeoutMs: {
    type: { kind: "whole", least: 1, most: MOST_MS },
    default: 20_000,
    meaning: "The most milliseconds that an answer waits for the endpoint.",
  },
  condenserInputTokens: {
    type: { kind: "whole", least: 100 },
    default: 6_000,
    meaning: "The most tokens of an entry that the endpoint is sent, which must fit the context window that the model is run with.",
  },
  embedderUrl: {
    type: { kind: "address" },
    meaning:
      "Where checkpoints are embedded, to be found by meaning: for openai up to and with the version, such as http://localhost:8080/v1; for ollama without a path, such as http://localhost:11434.",
  },
  embedderKind: {
    type: choice("openai", "ollama"),
    default: "openai",
    meaning: "Whose embeddings the endpoint speaks.",
  },
  embedderModel: {
    type: { kind: "text" },
    meaning: "The model, as the endpoint calls it. With another one the checkpoints are embedded anew, in the background.",
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
    meaning: "The most milliseconds that a search waits for the endpoint.",
  },
  embedderQueryPrefix: {
    type: { kind: "text" },
    meaning: 'Put before each question, as some models were taught, such as "search_query: ".',
  },
  embedderTextPrefix: {
    type: { kind: "text" },
    meaning: 'Put before each text of a checkpoint, such as "search_document: ". With another one they are embedded anew.',
  },
  rateLimitCheckpointSave: {
    type: { kind: "whole", least: 0 },
    default: 10,
    meaning: "How many checkpoints of one project checkpoint_save takes a minute; twice as many in a row. 0: any number.",
    foreignVariable: "RATE_LIMIT_CHECKPOINT_SAVE",
  },
  isolation: {
    type: choice("off", "own-first", "strict"),
    default: "own-first",
    meaning:
      "What is shown to whoever names no project, session or checkpoint: with off everything alike, with own-first lists have the own project before the others and searches among equals, with strict only the own project.",
  },
  secrets: {
    type: choice("warn", "redact", "block", "off"),
    default: "warn",
    meaning: "What becomes of what looks like a secret in what is saved: it is told of, replaced, refused, or not looked for.",
  },
  secretsPersonalData: {
    type: { ...choice("identifiers", "all", "off"), flags: { true: "all", false: "off" } },
    default: "identifiers",
    meaning:
      "Which personal data counts as secret too: with identifiers payment cards, bank accounts and ids of persons, with all e-mail addresses and telephone numbers as well.",
  },
  secretsExcept: { type: { kind: "text" }, meaning: "Rules for secrets that are not applied, by their names, with commas between them." },
  logLevel: {
    type: choice("debug", "info", "warn", "error", "silent"),
    default: "warn",
    meaning: "What the MCP server writes to standard error.",
    lenient: true,
  },
  encryption: {
    type: choice("enabled", "disabled"),
    otherwise: "as the store is",
    meaning: "With enabled, all that the store keeps is sealed with AES-256-GCM, and a store in clear is sealed when it is opened.",
  },
  encryptionKey: {
    type: { kind: "text" },
    meaning: "The key of a sealed store: 32 bytes in base64 or hexadecimal.",
    places: ONLY_ENVIRONMENT,
    secret: true,
  },
  encryptionKeyFile: {
    type: { kind: "path" },
    meaning: "A file that holds the key, and that only its owner can read.",
  },
  encryptionPassphrase: {
    type: { kind: "text" },
    meaning: "A passphrase that the key is made of.",
    places: ONLY_ENVIRONMENT,
    secret: true,
  },
  encryptionRecoveryKey: {
    type: { kind: "text" },
    meaning: "The recovery key that was shown when the store was sealed. It goes before all other keys.",
    places: ONLY_ENVIRONMENT,
    secret: true,
  },
  allowPlaintextFiles: {
    type: { kind: "flag" },
    default: false,
    meaning: "Whether a sealed store may write files in clear, such as exports.",
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
  return SETTINGS[name].places?.includes(place) ?? true;
}

/** Returns the environment variable of a setting: `maxDepth` gives `WORKRAIL_MAX_DEPTH`. */
export function variableOf(name: string): string {
  return `WORKRAIL_${name.replaceAll(/[A-Z]/gu, (letter) => `_${letter}`).toUpperCase()}`;
}

/** Returns the command-line option of a setting: `maxDepth` gives `--max-depth`. */
export function optionOf(name: string): string {
  return `--${name.replaceAll(/[A-Z]/gu, (letter) => `-${letter.toLowerCase()}`)}`;
}

/** Options that may stand without a value, which then means true. */
export const FLAG_OPTIONS: ReadonlySet<string> = new Set(
  SETTING_NAMES.filter((name) => SETTINGS[name].type.kind === "flag").flatMap((name) => namesOf(name).map(optionOf)),
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
