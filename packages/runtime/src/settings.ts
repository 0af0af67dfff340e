import type { EmbedderKind } from "@workrail/http-embedder";
import {
  DEFAULT_LIMITS,
  invalidInput,
  isJsonObject,
  type Limits,
  type Log,
  type PersonalData,
  SECRET_RULE_IDS,
  type SecretsMode,
  WorkrailError,
} from "@workrail/core";
import type { SqliteDriverChoice } from "@workrail/sqlite-fs";
import { isAllowed } from "./config/allowed-value.ts";
import { type ConfigurationIssue, refusalOf } from "./config/configuration-issue.ts";
import { type Configuration, readConfiguration } from "./config/read-configuration.ts";
import type { Fallback, Isolation, SettingValues } from "./config/setting-table.ts";
import type { Environment } from "./config/default-data-dir.ts";
import type { SealingSettings } from "./sealing/sealing-settings.ts";
import type { TokenizerName } from "./token-counter.ts";

/** What a store does so that it can be left alone. Percents are of `limits.maxTotalBytes`. */
export interface HousekeepingSettings {
  /** Sessions that were not used for as many days go to the trash; 0: none does. */
  readonly retentionDays: number;
  /** Days that things stay in the trash; 0: there is no trash. */
  readonly trashDays: number;
  /** Days that rows stay in the audit log; 0: for ever. */
  readonly auditDays: number;
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

/** An endpoint that speaks the embeddings of OpenAI, or Ollama. */
export interface EmbedderSettings {
  readonly kind: EmbedderKind;
  /** For `openai` up to and with the version, for `ollama` without a path. Absent, as the model may be: each search tells that it is not set. */
  readonly url: string | undefined;
  readonly model: string | undefined;
  readonly apiKey: string | undefined;
  /** The longest that a search waits for it. */
  readonly timeoutMs: number;
  /** Put before each question. */
  readonly queryPrefix: string | undefined;
  /** Put before each text. */
  readonly textPrefix: string | undefined;
}

/** What becomes of secrets in what is saved. */
export interface SecretsSettings {
  /** `off`: they are not looked for. */
  readonly mode: SecretsMode | "off";
  /** The personal data that is looked for too. */
  readonly personalData: PersonalData;
  /** Ids of rules that are not applied. */
  readonly except: readonly string[];
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
  /** Whether the store is only read. */
  readonly readOnly: boolean;
  /** Where a save goes when the disk cannot be written to. */
  readonly fallback: Fallback;
  /** Whether a live context saves a checkpoint at the end of each phase. */
  readonly autoSave: boolean;
  /** Who is asked for what is to be condensed; absent: nobody. */
  readonly condenser: CondenserSettings | undefined;
  /** Who is asked what texts mean; absent: nobody. */
  readonly embedder: EmbedderSettings | undefined;
  /** How many checkpoints of a project a server saves a minute; twice as many in a row. 0: any number. */
  readonly savesAMinute: number;
  /** Whether what is pruned by count goes to the trash. */
  readonly prunesToTrash: boolean;
  /** What is shown of other projects: see `Isolation`. */
  readonly isolation: Isolation;
  readonly sealing: SealingSettings;
  readonly secrets: SecretsSettings;
  /** Root of the project, where it is not to be found from the working directory. */
  readonly project: string | undefined;
}

/** What a program sets itself: it goes before all that is set from outside. */
export interface GivenSettings {
  readonly dataDir?: string | undefined;
  readonly limits?: Partial<Limits> | undefined;
  readonly fallback?: Fallback | undefined;
  readonly readOnly?: boolean | undefined;
  /** Options of a command line, such as `--max-depth=5`. */
  readonly args?: readonly string[] | undefined;
}

/**
 * Reads the settings from `config.json` in the data directory, the environment and the command line; each goes before the one
 * named before it. An empty variable counts as not set.
 *
 * @param given goes before all of them.
 * @param log is told what is passed over.
 * @throws INVALID_INPUT naming the setting, where it was set, and what it may be.
 */
export function readSettings(env: Environment, given: GivenSettings, log?: Log): Settings {
  checkGiven(given);
  const configuration = readConfiguration({ env, args: given.args, dataDir: given.dataDir });
  const [error, ...others] = configuration.issues.filter(({ severity }) => severity === "error");
  if (error !== undefined) throw refusalOf([error, ...others]);
  for (const issue of configuration.issues) warn(log, issue);
  return settingsOf(configuration, given);
}

/** A program's own are taken as they are, and one that is misspelt would be passed over in silence. */
function checkGiven({ dataDir, fallback, readOnly, limits }: GivenSettings): void {
  if (dataDir !== undefined && typeof dataDir !== "string") throw invalidInput("dataDir", "dataDir must be a path.", LEAVE_OUT);
  if (fallback !== undefined && !isAllowed("fallback", fallback)) {
    throw invalidInput("fallback", "fallback must be memory or fail.", LEAVE_OUT);
  }
  if (readOnly !== undefined && !isAllowed("readOnly", readOnly)) {
    throw invalidInput("readOnly", "readOnly must be true or false.", LEAVE_OUT);
  }
  if (limits !== undefined && !isJsonObject(limits)) throw invalidInput("limits", "limits must be an object.", LEAVE_OUT);
  const unknown = Object.keys(limits ?? {}).find((name) => !Object.hasOwn(DEFAULT_LIMITS, name));
  if (unknown === undefined) return;
  const known = `These are limits: ${Object.keys(DEFAULT_LIMITS).join(", ")}.`;
  throw invalidInput(`limits.${unknown}`, `limits has ${JSON.stringify(unknown)}, which is no limit.`, known);
}

const LEAVE_OUT = "Correct it, or leave it out for the default.";

function settingsOf({ dataDir, values }: Configuration, given: GivenSettings): Settings {
  return {
    dataDir,
    limits: checked({ ...limitsOf(values), ...given.limits }),
    housekeeping: {
      retentionDays: values.retentionDays,
      trashDays: values.trashDays,
      trashPercent: values.trashPercent,
      auditDays: values.auditDays,
      warnPercent: values.warnPercent,
      cleanUpFromPercent: values.cleanupFromPercent,
      cleanUpToPercent: values.cleanupToPercent,
    },
    lockWaitMs: values.lockTimeoutMs,
    sqliteDriver: values.sqliteDriver,
    maxAnswerTokens: values.maxAnswerTokens,
    maxAnswerCharacters: values.maxAnswerCharacters,
    tokenizer: values.tokenizer,
    condenser: values.contextCompression === "advanced" ? condenserOf(values) : undefined,
    embedder: values.embedderUrl === undefined && values.embedderModel === undefined ? undefined : embedderOf(values),
    secrets: secretsSettingsOf(values),
    readOnly: given.readOnly ?? values.readOnly,
    fallback: given.fallback ?? values.fallback ?? "fail",
    savesAMinute: values.rateLimitCheckpointSave,
    prunesToTrash: values.prunedGoTo === "trash",
    isolation: values.isolation,
    autoSave: values.checkpointAutoSave,
    sealing: {
      encryption: values.encryption,
      key: values.encryptionKey,
      keyFile: values.encryptionKeyFile,
      passphrase: values.encryptionPassphrase,
      recoveryKey: values.encryptionRecoveryKey,
      allowPlaintextFiles: values.allowPlaintextFiles,
    },
    project: values.project,
  };
}

/** @throws INVALID_INPUT for an unknown rule. */
export function secretsSettingsOf(values: SettingValues): SecretsSettings {
  return { mode: values.secrets, personalData: values.secretsPersonalData, except: rulesIn(values.secretsExcept) };
}

function limitsOf(values: SettingValues): Limits {
  const names = Object.keys(DEFAULT_LIMITS) as (keyof Limits)[];
  return Object.fromEntries(names.map((name) => [name, values[name]])) as unknown as Limits;
}

function condenserOf(values: SettingValues): CondenserSettings {
  return {
    url: values.condenserUrl,
    model: values.condenserModel,
    apiKey: values.condenserKey,
    timeoutMs: values.condenserTimeoutMs,
    inputTokens: values.condenserInputTokens,
  };
}

function embedderOf(values: SettingValues): EmbedderSettings {
  return {
    kind: values.embedderKind,
    url: values.embedderUrl,
    model: values.embedderModel,
    apiKey: values.embedderKey,
    timeoutMs: values.embedderTimeoutMs,
    queryPrefix: values.embedderQueryPrefix,
    textPrefix: values.embedderTextPrefix,
  };
}

/** Names of rules, by commas or blanks. One that is misspelt would leave its rule in force, to everybody's surprise. */
function rulesIn(text = ""): readonly string[] {
  const ids = text.split(/[\s,]+/u).filter((id) => id !== "");
  const unknown = ids.find((id) => !SECRET_RULE_IDS.includes(id));
  if (unknown === undefined) return ids;
  throw new WorkrailError("INVALID_INPUT", `secretsExcept names ${JSON.stringify(unknown)}, which is no rule for secrets.`, {
    details: { field: "secretsExcept" },
    hint: "Use the names that warnings tell of, such as github-token.",
  });
}

function warn(log: Log | undefined, { message, hint, field, file, line }: ConfigurationIssue): void {
  log?.warn(message, {
    hint,
    ...(field === undefined ? {} : { field }),
    ...(file === undefined ? {} : { file }),
    ...(line === undefined ? {} : { line }),
  });
}

/** A limit of none would have a save remove what it saved. */
function checked(limits: Limits): Limits {
  const [field] = Object.entries(limits).find(([, value]) => !Number.isSafeInteger(value) || Number(value) < 1) ?? [];
  if (field === undefined) return limits;
  throw new WorkrailError("INVALID_INPUT", `The limit ${field} must be a whole number from 1.`, { details: { field } });
}
