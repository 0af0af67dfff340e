import os from "node:os";
import path from "node:path";
import { DEFAULT_LIMITS, type Limits, WorkrailError } from "@workrail/core";
import type { SqliteDriverChoice } from "@workrail/sqlite-fs";
import { z } from "zod";
import { type TokenizerName, TOKENIZERS } from "./token-counter.ts";

export type Environment = Readonly<Record<string, string | undefined>>;

/** `memory`: it is kept in this process's memory until the disk is back. `fail`: it fails, and is kept nowhere. */
export type Fallback = "memory" | "fail";

/** What a store does so that it can be left alone. Percents are of `limits.maxTotalBytes`. */
export interface HousekeepingSettings {
  /** Sessions that were not used for as many days go to the trash; 0: none does. */
  readonly retentionDays: number;
  /** Days that things stay in the trash; 0: there is no trash. */
  readonly trashDays: number;
  /** The most that the trash may take. */
  readonly trashPercent: number;
  /** A store that holds more is told of once. */
  readonly warnPercent: number;
  /** A store that holds more than the first is brought down to the second. */
  readonly cleanUpFromPercent: number;
  readonly cleanUpToPercent: number;
}

/** An endpoint that speaks the chat completions of OpenAI, such as that of Ollama, llama.cpp or LM Studio. */
export interface CondenserSettings {
  /** Up to and with the version. Absent, as the model may be: each answer tells that it is not set. */
  readonly url: string | undefined;
  readonly model: string | undefined;
  readonly apiKey: string | undefined;
  /** The longest that an answer waits for it. */
  readonly timeoutMs: number;
  /** The most tokens of a text that it is sent. */
  readonly inputTokens: number;
}

/** Everything that can be set from outside. */
export interface Settings {
  readonly dataDir: string;
  readonly limits: Limits;
  readonly housekeeping: HousekeepingSettings;
  /** How long a save waits for a lock that another process holds. */
  readonly lockWaitMs: number;
  /** The library that runs SQLite; `auto`: the first that loads, or else none; `none`: the catalog is kept in files alone. */
  readonly sqliteDriver: SqliteDriverChoice | "none";
  /** The hard ceiling of every answer. */
  readonly maxAnswerTokens: number;
  readonly maxAnswerCharacters: number;
  /** What tokens are counted with. */
  readonly tokenizer: TokenizerName;
  /** Where a save goes when the disk cannot be written to. */
  readonly fallback: Fallback;
  /** Whether a live context saves a checkpoint at the end of each phase. */
  readonly autoSave: boolean;
  /** Who is asked for what is to be condensed; absent: nobody. */
  readonly condenser: CondenserSettings | undefined;
  /** Root of the project, where it is not to be found from the working directory. */
  readonly project: string | undefined;
}

const whole = (least: number): z.ZodOptional<z.ZodCoercedNumber> => z.coerce.number().int().min(least).optional();
const percent = (least: number): z.ZodOptional<z.ZodCoercedNumber> => z.coerce.number().int().min(least).max(100).optional();
/** So that the time they make can be told in milliseconds. */
const days = (): z.ZodOptional<z.ZodCoercedNumber> => z.coerce.number().int().min(0).max(36_500).optional();

const flag = z
  .enum(["true", "false", "1", "0"])
  .transform((text) => text === "true" || text === "1")
  .optional();

/** The environment variables there are. `docs/reference/settings.md` describes each. */
const variables = z.object({
  WORKRAIL_DATA_DIR: z.string().optional(),
  WORKRAIL_STORAGE_PATH: z.string().optional(),
  WORKRAIL_PROJECT: z.string().optional(),
  WORKRAIL_FALLBACK: z.enum(["memory", "fail"]).optional(),
  WORKRAIL_MAX_CHECKPOINTS: whole(1),
  WORKRAIL_MAX_CHECKPOINT_BYTES: whole(1),
  WORKRAIL_MAX_ASIDES: whole(1),
  WORKRAIL_MAX_ASIDE_BYTES: whole(1),
  WORKRAIL_MAX_SESSION_BYTES: whole(1),
  WORKRAIL_MAX_TOTAL_BYTES: whole(1),
  WORKRAIL_MAX_CONTEXT_BYTES: whole(1),
  WORKRAIL_MAX_DEPTH: whole(1),
  WORKRAIL_MAX_KEYS: whole(1),
  WORKRAIL_RETENTION_DAYS: days(),
  WORKRAIL_TRASH_DAYS: days(),
  WORKRAIL_TRASH_PERCENT: percent(0),
  WORKRAIL_WARN_PERCENT: percent(1),
  WORKRAIL_CLEANUP_FROM_PERCENT: percent(1),
  WORKRAIL_CLEANUP_TO_PERCENT: percent(1),
  WORKRAIL_LOCK_TIMEOUT_MS: whole(0),
  WORKRAIL_SQLITE_DRIVER: z.enum(["auto", "better-sqlite3", "node:sqlite", "none"]).optional(),
  WORKRAIL_MAX_ANSWER_TOKENS: whole(500),
  WORKRAIL_MAX_ANSWER_CHARACTERS: whole(2_000),
  WORKRAIL_TOKENIZER: z.enum(TOKENIZERS).optional(),
  WORKRAIL_CHECKPOINT_AUTO_SAVE: flag,
  WORKRAIL_CONTEXT_COMPRESSION: z.enum(["basic", "advanced"]).optional(),
  WORKRAIL_CONDENSER_URL: z.url({ protocol: /^https?$/ }).optional(),
  WORKRAIL_CONDENSER_MODEL: z.string().optional(),
  WORKRAIL_CONDENSER_KEY: z.string().optional(),
  WORKRAIL_CONDENSER_TIMEOUT_MS: whole(1),
  WORKRAIL_CONDENSER_INPUT_TOKENS: whole(100),
  // Not available yet. Asked for all the same it must not be passed over in silence: the data would be stored in clear.
  WORKRAIL_ENCRYPTION: z.enum(["disabled", "off", "false", "0"]).optional(),
});

/**
 * Reads the settings. An empty variable counts as not set.
 *
 * @param given takes precedence over the environment.
 * @throws INVALID_INPUT naming the variable and what it may be.
 */
export function readSettings(
  env: Environment,
  given: {
    readonly dataDir?: string | undefined;
    readonly limits?: Partial<Limits> | undefined;
    readonly fallback?: Fallback | undefined;
  },
): Settings {
  const set = Object.fromEntries(Object.entries(env).filter(([name, value]) => name.startsWith("WORKRAIL_") && value !== ""));
  const parsed = variables.safeParse(set);
  if (!parsed.success) throw invalid(parsed.error);
  const values = parsed.data;
  return {
    dataDir: path.resolve(
      notEmpty(given.dataDir) ?? values.WORKRAIL_DATA_DIR ?? values.WORKRAIL_STORAGE_PATH ?? defaultDataDir(env, process.platform),
    ),
    limits: checked({
      maxCheckpoints: values.WORKRAIL_MAX_CHECKPOINTS ?? DEFAULT_LIMITS.maxCheckpoints,
      maxAsides: values.WORKRAIL_MAX_ASIDES ?? DEFAULT_LIMITS.maxAsides,
      maxAsideBytes: values.WORKRAIL_MAX_ASIDE_BYTES ?? DEFAULT_LIMITS.maxAsideBytes,
      maxCheckpointBytes: values.WORKRAIL_MAX_CHECKPOINT_BYTES ?? DEFAULT_LIMITS.maxCheckpointBytes,
      maxSessionBytes: values.WORKRAIL_MAX_SESSION_BYTES ?? DEFAULT_LIMITS.maxSessionBytes,
      maxTotalBytes: values.WORKRAIL_MAX_TOTAL_BYTES ?? DEFAULT_LIMITS.maxTotalBytes,
      maxContextBytes: values.WORKRAIL_MAX_CONTEXT_BYTES ?? DEFAULT_LIMITS.maxContextBytes,
      maxDepth: values.WORKRAIL_MAX_DEPTH ?? DEFAULT_LIMITS.maxDepth,
      maxKeys: values.WORKRAIL_MAX_KEYS ?? DEFAULT_LIMITS.maxKeys,
      ...given.limits,
    }),
    housekeeping: {
      retentionDays: values.WORKRAIL_RETENTION_DAYS ?? 30,
      trashDays: values.WORKRAIL_TRASH_DAYS ?? 7,
      trashPercent: values.WORKRAIL_TRASH_PERCENT ?? 10,
      warnPercent: values.WORKRAIL_WARN_PERCENT ?? 80,
      cleanUpFromPercent: values.WORKRAIL_CLEANUP_FROM_PERCENT ?? 90,
      cleanUpToPercent: values.WORKRAIL_CLEANUP_TO_PERCENT ?? 80,
    },
    lockWaitMs: values.WORKRAIL_LOCK_TIMEOUT_MS ?? 5_000,
    sqliteDriver: values.WORKRAIL_SQLITE_DRIVER ?? "auto",
    maxAnswerTokens: values.WORKRAIL_MAX_ANSWER_TOKENS ?? 10_000,
    maxAnswerCharacters: values.WORKRAIL_MAX_ANSWER_CHARACTERS ?? 45_000,
    tokenizer: values.WORKRAIL_TOKENIZER ?? "o200k",
    condenser:
      values.WORKRAIL_CONTEXT_COMPRESSION !== "advanced"
        ? undefined
        : {
            url: values.WORKRAIL_CONDENSER_URL,
            model: values.WORKRAIL_CONDENSER_MODEL,
            apiKey: values.WORKRAIL_CONDENSER_KEY,
            timeoutMs: values.WORKRAIL_CONDENSER_TIMEOUT_MS ?? 20_000,
            inputTokens: values.WORKRAIL_CONDENSER_INPUT_TOKENS ?? 6_000,
          },
    fallback: given.fallback ?? values.WORKRAIL_FALLBACK ?? "fail",
    autoSave: values.WORKRAIL_CHECKPOINT_AUTO_SAVE ?? true,
    project: values.WORKRAIL_PROJECT === undefined ? undefined : path.resolve(values.WORKRAIL_PROJECT),
  };
}

/** Where each platform keeps the data of its users' programs. */
export function defaultDataDir(env: Environment, platform: NodeJS.Platform): string {
  const home = os.homedir();
  switch (platform) {
    case "win32":
      return path.join(notEmpty(env["APPDATA"]) ?? path.join(home, "AppData", "Roaming"), "workrail");
    case "darwin":
      return path.join(home, "Library", "Application Support", "workrail");
    default:
      return path.join(absolute(env["XDG_DATA_HOME"]) ?? path.join(home, ".local", "share"), "workrail");
  }
}

function notEmpty(text: string | undefined): string | undefined {
  return text === "" ? undefined : text;
}

/** A limit of none would have a save remove what it saved. */
function checked(limits: Limits): Limits {
  const [field] = Object.entries(limits).find(([, value]) => !Number.isSafeInteger(value) || Number(value) < 1) ?? [];
  if (field === undefined) return limits;
  throw new WorkrailError("INVALID_INPUT", `The limit ${field} must be a whole number from 1.`, { details: { field } });
}

/** The XDG specification has relative paths ignored. */
function absolute(directory: string | undefined): string | undefined {
  return directory !== undefined && path.isAbsolute(directory) ? directory : undefined;
}

function invalid(error: z.ZodError): WorkrailError {
  const [issue] = error.issues;
  const name = String(issue?.path[0]);
  if (name === "WORKRAIL_ENCRYPTION") {
    return new WorkrailError("INVALID_INPUT", "Encryption is not available in this version, so nothing is stored.", {
      details: { field: name },
      hint: "Unset WORKRAIL_ENCRYPTION to store in clear, readable by your user alone.",
    });
  }
  return new WorkrailError("INVALID_INPUT", `The environment variable ${name} has a wrong value: ${issue?.message ?? "unknown"}.`, {
    details: { field: name },
    hint: `Correct or unset ${name}.`,
  });
}
