import type { EmbedderKind } from "@workrail/http-embedder";
import { DEFAULT_LIMITS, invalidInput, isJsonObject, type Limits, type Log, type SecretsMode, WorkrailError } from "@workrail/core";
import { type PersonalData, SECRET_RULE_IDS } from "@workrail/secrets";
import type { SqliteDriverChoice } from "@workrail/sqlite-fs";
import { settingsOfTenant } from "./config/tenant-settings.ts";
import { isAllowed } from "./config/allowed-value.ts";
import { type ConfigurationIssue, refusalOf } from "./config/configuration-issue.ts";
import { type Configuration, type ConfiguredSetting, readConfiguration } from "./config/read-configuration.ts";
import {
  DEFAULT_TENANT,
  type Fallback,
  type Isolation,
  type ProgramSettings,
  type SettingName,
  type SettingValues,
} from "./config/setting-table.ts";
import { isNode } from "./place-of.ts";
import type { Environment } from "./config/default-data-dir.ts";
import type { SealingSettings } from "./sealing/sealing-settings.ts";
import type { TokenizerName } from "./token-counter.ts";

/** Settings of automatic maintenance. Percentages are of `limits.maxTotalBytes`. */
export interface HousekeepingSettings {
  /** Days without use after which a session goes to the trash; 0: never. */
  readonly retentionDays: number;
  /** Days in the trash before removal; 0: there is no trash. */
  readonly trashDays: number;
  /** Days before rows leave the audit log; 0: they stay forever. */
  readonly auditDays: number;
  /** Largest size of the trash. */
  readonly trashPercent: number;
  /** Usage above which one warning is given. */
  readonly warnPercent: number;
  /** Usage above which the store is cleaned up, and the usage that this aims at. */
  readonly cleanUpFromPercent: number;
  readonly cleanUpToPercent: number;
}

/** An endpoint with OpenAI's chat completions API, such as Ollama, llama.cpp or LM Studio. */
export interface CondenserSettings {
  /** URL including the version. When the URL or the model is absent, each answer says so. */
  readonly url: string | undefined;
  readonly model: string | undefined;
  readonly apiKey: string | undefined;
  /** Timeout of a request. */
  readonly timeoutMs: number;
  /** Most tokens of a text that is sent. */
  readonly inputTokens: number;
}

/** An endpoint with OpenAI's or Ollama's embeddings API. */
export interface EmbedderSettings {
  readonly kind: EmbedderKind;
  /** URL; for `openai` including the version, for `ollama` without a path. When the URL or the model is absent, each search says so. */
  readonly url: string | undefined;
  readonly model: string | undefined;
  readonly apiKey: string | undefined;
  /** Timeout of a request. */
  readonly timeoutMs: number;
  /** Prefix of each query. */
  readonly queryPrefix: string | undefined;
  /** Prefix of each text. */
  readonly textPrefix: string | undefined;
}

/** Object storage for the bytes of checkpoints. */
export interface BlobsSettings {
  readonly address: string;
  /** Variables of the environment, of which AWS's hold the credentials. */
  readonly environment: Environment;
}

/** Treatment of secrets in saved data. */
export interface SecretsSettings {
  /** `off`: no scan for secrets. */
  readonly mode: SecretsMode | "off";
  /** Personal data that counts as secret. */
  readonly personalData: PersonalData;
  /** Ids of rules that are disabled. */
  readonly except: readonly string[];
}

/** All settings of a store. */
export interface Settings {
  readonly dataDir: string;
  /** URL of a database or a node that holds the store; absent: the data directory does. */
  readonly store?: string | undefined;
  /** Bearer token for a node. */
  readonly storeToken?: string | undefined;
  /** Tenant of the store in a database; absent: the default tenant. */
  readonly tenant?: string | undefined;
  readonly limits: Limits;
  readonly housekeeping: HousekeepingSettings;
  /** Longest time that a save waits for a lock of another process. */
  readonly lockWaitMs: number;
  /** The SQLite library. `auto`: the first that loads, or files alone; `none`: the catalog is kept in files. */
  readonly sqliteDriver: SqliteDriverChoice | "none";
  /** Object storage for the bytes of checkpoints; absent: they are kept next to the catalog. */
  readonly blobs: BlobsSettings | undefined;
  /** Hard limit of every answer. */
  readonly maxAnswerTokens: number;
  readonly maxAnswerCharacters: number;
  /** Tokenizer that counts tokens. */
  readonly tokenizer: TokenizerName;
  /** True when the store is read-only. */
  readonly readOnly: boolean;
  /** Destination of saves when the disk cannot be written to. */
  readonly fallback: Fallback;
  /** True when a live context saves a checkpoint at the end of each phase. */
  readonly autoSave: boolean;
  /** Endpoint that condenses texts; absent: none. */
  readonly condenser: CondenserSettings | undefined;
  /** Endpoint that embeds texts; absent: none. */
  readonly embedder: EmbedderSettings | undefined;
  /** Checkpoints of a project that a server saves per minute; twice as many in a burst. 0: no limit. */
  readonly savesAMinute: number;
  /** True to move checkpoints pruned by number to the trash. */
  readonly prunesToTrash: boolean;
  /** Visibility of other projects: see `Isolation`. */
  readonly isolation: Isolation;
  readonly sealing: SealingSettings;
  readonly secrets: SecretsSettings;
  /** Root of the project, when it is not derived from the working directory. */
  readonly project: string | undefined;
  /** True when calls without a session continue in the one that the process used last. */
  readonly remembersSessions: boolean;
}

/** Settings given by the program. They override all others. */
export interface GivenSettings {
  readonly dataDir?: string | undefined;
  readonly store?: string | undefined;
  readonly limits?: Partial<Limits> | undefined;
  readonly fallback?: Fallback | undefined;
  readonly readOnly?: boolean | undefined;
  readonly remembersSessions?: boolean | undefined;
  /** Options of a command line, such as `--max-depth=5`. */
  readonly args?: readonly string[] | undefined;
  /** Settings by name, as in `config.json`. They override `args`. */
  readonly settings?: ProgramSettings | undefined;
}

/**
 * Reads the settings from `config.json` in the data directory, the environment and the command line, in ascending precedence. An empty
 * variable counts as unset.
 *
 * @param given overrides all of them.
 * @param log receives warnings about ignored settings.
 * @throws INVALID_INPUT naming the setting, its source, and its allowed values.
 */
export function readSettings(env: Environment, given: GivenSettings, log?: Log): Settings {
  checkGiven(given);
  const configuration = configurationOf(env, given);
  for (const issue of configuration.issues) warn(log, issue);
  const settings = settingsOf(configuration, given, env);
  const { tenantsFile } = configuration.values;
  if (settings.store === undefined || tenantsFile === undefined) return settings;
  const own = settingsOfTenant(tenantsFile, settings.tenant ?? DEFAULT_TENANT);
  return settingsOf(configurationOf(env, { ...given, settings: { ...own, ...given.settings } }), given, env);
}

function configurationOf(env: Environment, { args, settings, dataDir }: GivenSettings): Configuration {
  const configuration = readConfiguration({ env, args, settings, dataDir });
  const [error, ...others] = configuration.issues.filter(({ severity }) => severity === "error");
  if (error !== undefined) throw refusalOf([error, ...others]);
  return configuration;
}

/** Checks a program's own settings: a misspelt limit would silently be ignored. */
function checkGiven({ dataDir, fallback, readOnly, limits, settings }: GivenSettings): void {
  if (dataDir !== undefined && typeof dataDir !== "string") throw invalidInput("dataDir", "dataDir must be a path.", LEAVE_OUT);
  if (fallback !== undefined && !isAllowed("fallback", fallback)) {
    throw invalidInput("fallback", "fallback must be memory or fail.", LEAVE_OUT);
  }
  if (readOnly !== undefined && !isAllowed("readOnly", readOnly)) {
    throw invalidInput("readOnly", "readOnly must be true or false.", LEAVE_OUT);
  }
  if (settings !== undefined && !isJsonObject(settings)) throw invalidInput("settings", "settings must be an object.", LEAVE_OUT);
  if (limits !== undefined && !isJsonObject(limits)) throw invalidInput("limits", "limits must be an object.", LEAVE_OUT);
  const unknown = Object.keys(limits ?? {}).find((name) => !Object.hasOwn(DEFAULT_LIMITS, name));
  if (unknown === undefined) return;
  const known = `The limits are: ${Object.keys(DEFAULT_LIMITS).join(", ")}.`;
  throw invalidInput(`limits.${unknown}`, `limits has the unknown field ${JSON.stringify(unknown)}.`, known);
}

const LEAVE_OUT = "Correct it, or leave it out for the default.";

/** Places in ascending precedence. */
const PLACES: readonly ConfiguredSetting["origin"][] = ["default", "file", "environment", "command line", "program"];

/**
 * A data directory that is set in a place of higher precedence overrides the store and its tenant.
 *
 * @throws INVALID_INPUT for a tenant without a database, and for a wrong address of a node.
 */
function databaseOf({ settings, values }: Configuration, given: GivenSettings): Pick<Settings, "store" | "storeToken" | "tenant"> {
  const placeOf = (name: SettingName): number => PLACES.indexOf(settings.find((each) => each.name === name)?.origin ?? "default");
  const counts = (name: SettingName): boolean => given.dataDir === undefined && placeOf(name) >= placeOf("dataDir");
  const store = given.store ?? (counts("store") ? values.store : undefined);
  const isOnNode = store !== undefined && isNode(store);
  if (isOnNode) checkNode(store, values.allowPlaintextStore);
  if ((store === undefined || isOnNode) && values.tenant !== undefined && counts("tenant")) throw tenantWithoutDatabase();
  return { store, storeToken: values.storeToken, tenant: store === undefined ? undefined : values.tenant };
}

/**
 * @throws INVALID_INPUT for an address with a secret in it, which logs and lists of processes would show, and for one to which a token
 * would be sent unencrypted.
 */
function checkNode(store: string, allowsPlaintext: boolean): void {
  const url = URL.canParse(store) ? new URL(store) : undefined;
  if (url === undefined || url.username !== "" || url.password !== "" || url.search !== "" || url.hash !== "")
    throw invalidInput(
      "store",
      "The address of a node is https://host, optionally with a path.",
      "Set its token with WORKRAIL_STORE_TOKEN.",
    );
  const isLocal = /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])$/u.test(url.hostname);
  if (url.protocol === "https:" || isLocal || allowsPlaintext) return;
  const hint = "Use https:, or set WORKRAIL_ALLOW_PLAINTEXT_STORE=true if the network itself is trusted.";
  throw invalidInput("store", "The token and the saved work would be sent unencrypted.", hint);
}

function tenantWithoutDatabase(): WorkrailError {
  const hint = "Name the database with --store or WORKRAIL_STORE, or leave the tenant out: a data directory has no tenants.";
  return invalidInput("tenant", "A tenant is set without a database.", hint);
}

function settingsOf(configuration: Configuration, given: GivenSettings, environment: Environment): Settings {
  const { dataDir, values } = configuration;
  return {
    dataDir,
    ...databaseOf(configuration, given),
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
    blobs: values.blobs === undefined ? undefined : { address: values.blobs, environment },
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
    remembersSessions: given.remembersSessions ?? true,
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

/** Parses names of rules, separated by commas or blanks. Unknown names are refused: a misspelt one would leave its rule enabled. */
function rulesIn(text = ""): readonly string[] {
  const ids = text.split(/[\s,]+/u).filter((id) => id !== "");
  const unknown = ids.find((id) => !SECRET_RULE_IDS.includes(id));
  if (unknown === undefined) return ids;
  throw new WorkrailError("INVALID_INPUT", `secretsExcept names ${JSON.stringify(unknown)}, which is not a secret rule.`, {
    details: { field: "secretsExcept" },
    hint: "Use the rule names of warnings, such as github-token.",
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

/** Checks that every limit is at least 1. With 0, a save would remove its own checkpoint. */
function checked(limits: Limits): Limits {
  const [field] = Object.entries(limits).find(([, value]) => !Number.isSafeInteger(value) || Number(value) < 1) ?? [];
  if (field === undefined) return limits;
  throw new WorkrailError("INVALID_INPUT", `The limit ${field} must be a whole number from 1.`, { details: { field } });
}
