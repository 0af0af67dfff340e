import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { ERROR_CODES } from "@workrail/core";
import { describe, expect, it } from "vitest";
import { EXIT_CODES } from "../../../apps/cli/src/exit-codes.ts";
import { CHECKPOINT_ERRORS } from "../../../apps/mcp-server/src/tools/checkpoint-failure.ts";
import { plain, readPage, sectionOf, tableOf } from "./markdown.ts";
import { ROOT } from "./workspace.ts";

const page = readPage("docs/reference/errors.md");

/** Reasons given in place of LOCK_TIMEOUT and STORE_IN_USE when memory stands in for the disk. */
const STOOD_IN_FOR = ["locked", "in-use"];

describe("docs/reference/errors.md", () => {
  it("has a row for every code, with its facts for programs", () => {
    const told = tableOf(sectionOf(page, "## The codes")).map(([code, , status, retryable, exitCode]) => {
      return [linkText(code), { httpStatus: Number(status), retryable: retryable === "yes", exitCode: Number(exitCode) }] as const;
    });
    const known = Object.entries(ERROR_CODES).map(([code, meaning]) => {
      return [code, { ...meaning, exitCode: EXIT_CODES[code as keyof typeof EXIT_CODES] }] as const;
    });
    expect(Object.fromEntries(told)).toEqual(Object.fromEntries(known));
    expect(told).toHaveLength(known.length);
  });

  it.each(Object.keys(ERROR_CODES))("says what to do about %s", (code) => {
    expect(sectionOf(page, `### ${code}`)).toMatch(/^\*\*What to do\.\*\* /m);
  });

  it("has every code of the tools of projects, with its HTTP status", () => {
    const told = tableOf(sectionOf(page, "## Errors of the tools of projects")).map(([code, status]) => [plain(code), Number(status)]);
    expect(Object.fromEntries(told)).toEqual(CHECKPOINT_ERRORS);
  });

  it("explains every reason in the sources for an unusable store", () => {
    const sources = globSync("packages/{core,blob-files,blobs-s3,files-catalog,sqlite-fs}/src/**/*.ts", { cwd: ROOT })
      .filter((path) => !path.endsWith(".test.ts"))
      .map((path) => readFileSync(join(ROOT, path), "utf8"));
    const given = sources.flatMap((text) =>
      [...text.matchAll(/details: \{.*reason: "([a-z-]+)"|^ {2}\[\/\S+, "([a-z-]+)"\],$/gm)].map(([, a, b]) => a ?? b),
    );
    const explained = tableOf(sectionOf(page, "### STORAGE_UNAVAILABLE")).map(([reason]) => plain(reason));
    expect(new Set(explained)).toEqual(new Set([...given, ...STOOD_IN_FOR, "other"]));
  });
});

function linkText(cell: string | undefined): string {
  return /^\[`(\w+)`\]/.exec(cell ?? "")?.[1] ?? "";
}
