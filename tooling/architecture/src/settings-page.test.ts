import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { DEFAULT_LIMITS } from "@workrail/core";
import { readSettings, type Settings } from "@workrail/runtime";
import { describe, expect, it } from "vitest";
import { plain, readPage, tableOf } from "./markdown.ts";
import { ROOT } from "./workspace.ts";

const rows = tableOf(readPage("docs/reference/settings.md").text).map(([name, type, fallback]) => {
  return { name: plain(name), type, fallback: plain(fallback) };
});

/** What each number becomes. */
const NUMBERS: Readonly<Record<string, (settings: Settings) => number>> = {
  WORKRAIL_MAX_CHECKPOINTS: ({ limits }) => limits.maxCheckpoints,
  WORKRAIL_MAX_ASIDES: ({ limits }) => limits.maxAsides,
  WORKRAIL_MAX_ASIDE_BYTES: ({ limits }) => limits.maxAsideBytes,
  WORKRAIL_MAX_CHECKPOINT_BYTES: ({ limits }) => limits.maxCheckpointBytes,
  WORKRAIL_MAX_SESSION_BYTES: ({ limits }) => limits.maxSessionBytes,
  WORKRAIL_MAX_TOTAL_BYTES: ({ limits }) => limits.maxTotalBytes,
  WORKRAIL_MAX_CONTEXT_BYTES: ({ limits }) => limits.maxContextBytes,
  WORKRAIL_MAX_DEPTH: ({ limits }) => limits.maxDepth,
  WORKRAIL_MAX_KEYS: ({ limits }) => limits.maxKeys,
  WORKRAIL_RETENTION_DAYS: ({ housekeeping }) => housekeeping.retentionDays,
  WORKRAIL_TRASH_DAYS: ({ housekeeping }) => housekeeping.trashDays,
  WORKRAIL_TRASH_PERCENT: ({ housekeeping }) => housekeeping.trashPercent,
  WORKRAIL_WARN_PERCENT: ({ housekeeping }) => housekeeping.warnPercent,
  WORKRAIL_CLEANUP_FROM_PERCENT: ({ housekeeping }) => housekeeping.cleanUpFromPercent,
  WORKRAIL_CLEANUP_TO_PERCENT: ({ housekeeping }) => housekeeping.cleanUpToPercent,
  WORKRAIL_LOCK_TIMEOUT_MS: ({ lockWaitMs }) => lockWaitMs,
  WORKRAIL_CONDENSER_TIMEOUT_MS: ({ condenser }) => condenser?.timeoutMs ?? Number.NaN,
  WORKRAIL_CONDENSER_INPUT_TOKENS: ({ condenser }) => condenser?.inputTokens ?? Number.NaN,
  WORKRAIL_MAX_ANSWER_TOKENS: ({ maxAnswerTokens }) => maxAnswerTokens,
  WORKRAIL_MAX_ANSWER_CHARACTERS: ({ maxAnswerCharacters }) => maxAnswerCharacters,
};

describe("docs/reference/settings.md", () => {
  it("has every environment variable that the sources name, and no other", () => {
    const named = new Set(
      globSync(
        "{packages/{core,codecs,memory,blob-files,files-catalog,http-condenser,http-embedder,http-endpoint,sqlite-fs,runtime},apps/*}/src/**/*.ts",
        {
          cwd: ROOT,
        },
      )
        .filter((path) => !path.endsWith(".test.ts") && !/[\\/]testing[\\/]/.test(path))
        .flatMap((path) => readFileSync(join(ROOT, path), "utf8").match(/\bWORKRAIL_[A-Z_]+\b/g) ?? []),
    );
    expect(rows.map(({ name }) => name).toSorted()).toEqual([...named].toSorted());
  });

  it("knows every number", () => {
    const numbers = rows.filter(({ type }) => type?.startsWith("whole number")).map(({ name }) => name);
    expect(numbers.toSorted()).toEqual(Object.keys(NUMBERS).toSorted());
    expect(Object.keys(NUMBERS)).toHaveLength(Object.keys(DEFAULT_LIMITS).length + 11);
  });

  it.each(rows.filter(({ name }) => NUMBERS[name] !== undefined).map((row) => [row.name, row] as const))(
    "tells what %s is without it, and the least it may be",
    (name, { type, fallback }) => {
      const read = (value?: number): number | undefined =>
        NUMBERS[name]?.(
          readSettings(
            { WORKRAIL_CONTEXT_COMPRESSION: "advanced", ...(value === undefined ? {} : { [name]: String(value) }) },
            { dataDir: "unused" },
          ),
        );
      const least = Number(/from ([\d,]+)/.exec(type ?? "")?.[1]?.replaceAll(",", ""));
      expect(read()).toBe(Number(fallback.replaceAll(",", "")));
      expect(read(least)).toBe(least);
      expect(() => read(least - 1)).toThrow(name);
    },
  );
});
