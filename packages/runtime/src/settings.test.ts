import os from "node:os";
import path from "node:path";
import { DEFAULT_LIMITS, isWorkrailError } from "@workrail/core";
import { describe, expect, it } from "vitest";
import { defaultDataDir, type Environment } from "./config/default-data-dir.ts";
import { readSettings } from "./settings.ts";

const HOME = os.homedir();
/** A directory that never has a config.json. */
const NOWHERE = path.join(os.tmpdir(), "workrail-nowhere");

describe("settings", () => {
  it("have defaults for everything", () => {
    expect(readSettings({ XDG_DATA_HOME: NOWHERE, APPDATA: NOWHERE }, {})).toEqual({
      dataDir: defaultDataDir({ XDG_DATA_HOME: NOWHERE, APPDATA: NOWHERE }, process.platform),
      limits: DEFAULT_LIMITS,
      housekeeping: {
        retentionDays: 30,
        trashDays: 7,
        auditDays: 365,
        trashPercent: 10,
        warnPercent: 80,
        cleanUpFromPercent: 90,
        cleanUpToPercent: 80,
      },
      lockWaitMs: 5_000,
      sqliteDriver: "auto",
      blobs: undefined,
      condenser: undefined,
      embedder: undefined,
      readOnly: false,
      fallback: "fail",
      maxAnswerTokens: 10_000,
      maxAnswerCharacters: 45_000,
      tokenizer: "o200k",
      savesAMinute: 10,
      prunesToTrash: false,
      remembersSessions: true,
      isolation: "own-first",
      secrets: { mode: "warn", personalData: "identifiers", except: [] },
      autoSave: true,
      sealing: {
        encryption: undefined,
        key: undefined,
        keyFile: undefined,
        passphrase: undefined,
        recoveryKey: undefined,
        allowPlaintextFiles: false,
      },
      project: undefined,
    });
  });

  it("read every variable of the environment", () => {
    const env = {
      WORKRAIL_DATA_DIR: path.resolve("/data"),
      WORKRAIL_PROJECT: path.resolve("/project"),
      WORKRAIL_MAX_CHECKPOINTS: "1",
      WORKRAIL_MAX_ASIDES: "6",
      WORKRAIL_MAX_ASIDE_BYTES: "7",
      WORKRAIL_MAX_CHECKPOINT_BYTES: "2",
      WORKRAIL_MAX_SESSION_BYTES: "8",
      WORKRAIL_MAX_TOTAL_BYTES: "9",
      WORKRAIL_MAX_CONTEXT_BYTES: "3",
      WORKRAIL_MAX_DEPTH: "4",
      WORKRAIL_MAX_KEYS: "5",
      WORKRAIL_RETENTION_DAYS: "0",
      WORKRAIL_TRASH_DAYS: "1",
      WORKRAIL_AUDIT_DAYS: "6",
      WORKRAIL_TRASH_PERCENT: "2",
      WORKRAIL_WARN_PERCENT: "3",
      WORKRAIL_CLEANUP_FROM_PERCENT: "5",
      WORKRAIL_CLEANUP_TO_PERCENT: "4",
      WORKRAIL_LOCK_TIMEOUT_MS: "0",
      WORKRAIL_SQLITE_DRIVER: "node:sqlite",
      WORKRAIL_FALLBACK: "memory",
      WORKRAIL_READ_ONLY: "1",
      WORKRAIL_MAX_ANSWER_TOKENS: "500",
      WORKRAIL_MAX_ANSWER_CHARACTERS: "2000",
      WORKRAIL_TOKENIZER: "claude-estimate",
      WORKRAIL_CHECKPOINT_AUTO_SAVE: "0",
      WORKRAIL_CONTEXT_COMPRESSION: "advanced",
      WORKRAIL_CONDENSER_URL: "http://localhost:11434/v1",
      WORKRAIL_CONDENSER_MODEL: "small",
      WORKRAIL_CONDENSER_KEY: "k",
      WORKRAIL_CONDENSER_TIMEOUT_MS: "1",
      WORKRAIL_CONDENSER_INPUT_TOKENS: "100",
      WORKRAIL_EMBEDDER_URL: "http://localhost:11434",
      WORKRAIL_EMBEDDER_KIND: "ollama",
      WORKRAIL_EMBEDDER_MODEL: "smaller",
      WORKRAIL_EMBEDDER_KEY: "e",
      WORKRAIL_EMBEDDER_TIMEOUT_MS: "2",
      WORKRAIL_EMBEDDER_QUERY_PREFIX: "query: ",
      WORKRAIL_EMBEDDER_TEXT_PREFIX: "passage: ",
      WORKRAIL_RATE_LIMIT_CHECKPOINT_SAVE: "11",
      WORKRAIL_ISOLATION: "strict",
      WORKRAIL_SECRETS: "block",
      WORKRAIL_SECRETS_PERSONAL_DATA: "true",
      WORKRAIL_SECRETS_EXCEPT: "github-token, url-password",
      WORKRAIL_ENCRYPTION: "disabled",
      WORKRAIL_ENCRYPTION_KEY: "key",
      WORKRAIL_ENCRYPTION_KEY_FILE: path.resolve("/key"),
      WORKRAIL_ENCRYPTION_PASSPHRASE: "passphrase",
      WORKRAIL_ENCRYPTION_RECOVERY_KEY: "recovery",
      WORKRAIL_ALLOW_PLAINTEXT_FILES: "true",
    };
    expect(readSettings(env, {})).toEqual({
      dataDir: path.resolve("/data"),
      limits: {
        maxCheckpoints: 1,
        maxAsides: 6,
        maxAsideBytes: 7,
        maxCheckpointBytes: 2,
        maxSessionBytes: 8,
        maxTotalBytes: 9,
        maxContextBytes: 3,
        maxDepth: 4,
        maxKeys: 5,
      },
      housekeeping: {
        retentionDays: 0,
        trashDays: 1,
        auditDays: 6,
        trashPercent: 2,
        warnPercent: 3,
        cleanUpFromPercent: 5,
        cleanUpToPercent: 4,
      },
      lockWaitMs: 0,
      sqliteDriver: "node:sqlite",
      blobs: undefined,
      condenser: { url: "http://localhost:11434/v1", model: "small", apiKey: "k", timeoutMs: 1, inputTokens: 100 },
      embedder: {
        url: "http://localhost:11434",
        kind: "ollama",
        model: "smaller",
        apiKey: "e",
        timeoutMs: 2,
        queryPrefix: "query: ",
        textPrefix: "passage: ",
      },
      readOnly: true,
      fallback: "memory",
      maxAnswerTokens: 500,
      maxAnswerCharacters: 2_000,
      tokenizer: "claude-estimate",
      savesAMinute: 11,
      prunesToTrash: false,
      remembersSessions: true,
      isolation: "strict",
      secrets: { mode: "block", personalData: "all", except: ["github-token", "url-password"] },
      autoSave: false,
      sealing: {
        encryption: "disabled",
        key: "key",
        keyFile: path.resolve("/key"),
        passphrase: "passphrase",
        recoveryKey: "recovery",
        allowPlaintextFiles: true,
      },
      project: path.resolve("/project"),
    });
  });

  it("read contextd's variable for its rate limit, after their own", () => {
    const env = { RATE_LIMIT_CHECKPOINT_SAVE: "1000000" };
    const rateOf = (more: Environment): number => readSettings({ ...env, ...more }, { dataDir: NOWHERE }).savesAMinute;
    expect(rateOf({})).toBe(1_000_000);
    expect(rateOf({ WORKRAIL_RATE_LIMIT_CHECKPOINT_SAVE: "5" })).toBe(5);
    expect(() => rateOf({ RATE_LIMIT_CHECKPOINT_SAVE: "many" })).toThrow("RATE_LIMIT_CHECKPOINT_SAVE");
  });

  it.each(["WORKRAIL_WARN_PERCENT", "WORKRAIL_CLEANUP_FROM_PERCENT", "WORKRAIL_CLEANUP_TO_PERCENT", "WORKRAIL_TRASH_PERCENT"])(
    "accept at most 100 percent for %s",
    (name) => expect(() => readSettings({ [name]: "101" }, { dataDir: NOWHERE })).toThrow(name),
  );

  it("ignore empty variables and variables of other programs", () => {
    const names = ["DATA_DIR", "STORAGE_PATH", "PROJECT", "MAX_CHECKPOINTS", "LOCK_TIMEOUT_MS", "ENCRYPTION", "UNKNOWN"];
    const empty = Object.fromEntries(names.map((name) => [`WORKRAIL_${name}`, ""]));
    expect(readSettings({ ...empty, MAX_CHECKPOINTS: "7", WORKRAIL_MAX_KEYS: undefined }, { dataDir: NOWHERE })).toEqual(
      readSettings({}, { dataDir: NOWHERE }),
    );
  });

  it.for<[string, Environment, { dataDir?: string }, string]>([
    ["what is given", { WORKRAIL_DATA_DIR: "/b", WORKRAIL_STORAGE_PATH: "/c" }, { dataDir: "/a" }, "/a"],
    ["WORKRAIL_DATA_DIR", { WORKRAIL_DATA_DIR: "/b", WORKRAIL_STORAGE_PATH: "/c" }, { dataDir: "" }, "/b"],
    ["its alias", { WORKRAIL_DATA_DIR: "", WORKRAIL_STORAGE_PATH: "/c" }, {}, "/c"],
    ["a relative path, from the working directory", { WORKRAIL_DATA_DIR: "some/where" }, {}, "some/where"],
  ])("take the data directory from %s first", ([, env, given, expected]) => {
    expect(readSettings(env, given).dataDir).toBe(path.resolve(expected));
  });

  it("prefer each given limit to the one in the environment", () => {
    const { limits } = readSettings({ WORKRAIL_MAX_DEPTH: "9", WORKRAIL_MAX_KEYS: "10" }, { dataDir: NOWHERE, limits: { maxKeys: 3 } });
    expect(limits).toEqual({ ...DEFAULT_LIMITS, maxDepth: 9, maxKeys: 3 });
  });

  it.each([
    "MAX_CHECKPOINTS",
    "MAX_CHECKPOINT_BYTES",
    "MAX_SESSION_BYTES",
    "MAX_TOTAL_BYTES",
    "MAX_CONTEXT_BYTES",
    "MAX_DEPTH",
    "MAX_KEYS",
  ])("refuse a WORKRAIL_%s that is no whole number from 1, and name it", (name) => {
    for (const value of ["0", "-1", "1.5", "many", "NaN", "Infinity", " ", "9007199254740993"]) {
      expect(refusalOf({ [`WORKRAIL_${name}`]: value })).toMatchObject({ code: "INVALID_INPUT", field: `WORKRAIL_${name}` });
    }
  });

  it.each([
    ["WORKRAIL_LOCK_TIMEOUT_MS", "-1"],
    ["WORKRAIL_MAX_ANSWER_TOKENS", "499"],
    ["WORKRAIL_MAX_ANSWER_CHARACTERS", "1999"],
    ["WORKRAIL_SQLITE_DRIVER", "sqlite3"],
    ["WORKRAIL_TOKENIZER", "cl100k"],
    ["WORKRAIL_CHECKPOINT_AUTO_SAVE", "yes"],
  ])("refuse %s=%s, which leaves no room or is unknown", (name, value) => {
    expect(refusalOf({ [name]: value })).toMatchObject({ code: "INVALID_INPUT", field: name, hint: `Correct or unset ${name}.` });
  });

  it.each(["true", "aes", "ON"])("refuse to guess about encryption: WORKRAIL_ENCRYPTION=%s", (value) => {
    expect(refusalOf({ WORKRAIL_ENCRYPTION: value })).toMatchObject({ code: "INVALID_INPUT", field: "WORKRAIL_ENCRYPTION" });
  });

  it.each([0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY])("refuse a limit of %d from a program", (maxCheckpoints) => {
    expect(refusalOf({}, { maxCheckpoints })).toMatchObject({ code: "INVALID_INPUT", field: "maxCheckpoints" });
  });

  it("refuse a limit without a value from a program", () => {
    expect(refusalOf({}, { maxCheckpoints: undefined as unknown as number })).toMatchObject({ field: "maxCheckpoints" });
  });
});

describe("the data directory", () => {
  it.for<[string, NodeJS.Platform, Environment, string]>([
    ["Linux", "linux", {}, path.join(HOME, ".local", "share", "workrail")],
    ["Linux with XDG_DATA_HOME", "linux", { XDG_DATA_HOME: path.resolve("/xdg") }, path.join(path.resolve("/xdg"), "workrail")],
    [
      "Linux with a relative XDG_DATA_HOME, which is to be ignored",
      "linux",
      { XDG_DATA_HOME: "xdg" },
      path.join(HOME, ".local", "share", "workrail"),
    ],
    ["Linux with an empty XDG_DATA_HOME", "linux", { XDG_DATA_HOME: "" }, path.join(HOME, ".local", "share", "workrail")],
    ["another Unix", "freebsd", {}, path.join(HOME, ".local", "share", "workrail")],
    ["macOS", "darwin", { XDG_DATA_HOME: "/xdg" }, path.join(HOME, "Library", "Application Support", "workrail")],
    ["Windows", "win32", { APPDATA: path.resolve("/appdata") }, path.join(path.resolve("/appdata"), "workrail")],
    ["Windows without APPDATA", "win32", {}, path.join(HOME, "AppData", "Roaming", "workrail")],
    ["Windows with an empty APPDATA", "win32", { APPDATA: "" }, path.join(HOME, "AppData", "Roaming", "workrail")],
  ])("of a user on %s", ([, platform, env, expected]) => {
    expect(defaultDataDir(env, platform)).toBe(expected);
  });
});

function refusalOf(env: Environment, limits: object = {}): Record<string, unknown> | undefined {
  try {
    readSettings(env, { dataDir: NOWHERE, limits });
  } catch (error) {
    if (!isWorkrailError(error)) throw error;
    return { code: error.code, field: error.details["field"], message: error.message, hint: error.hint };
  }
  return undefined;
}
