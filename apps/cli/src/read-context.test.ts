import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { readContext } from "./read-context.ts";

const silent = { warn: (): void => {} };

describe("readContext", () => {
  let folder: string;
  let file: string;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "workrail-read-"));
    file = join(folder, "context.json");
  });

  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  it("ignores a byte order mark", async () => {
    writeFileSync(file, '\ufeff {"a":"é"}\r\n');
    expect(await readContext(file, silent)).toEqual({ a: "é" });
  });

  it("stops reading at the byte limit", async () => {
    writeFileSync(file, JSON.stringify({ a: "x".repeat(3_000_000) }));
    await expect(readContext(file, silent, 1_000)).rejects.toMatchObject({ code: "TOO_LARGE", details: { mostBytes: 1_000 } });
    expect(await readContext(file, silent, 3_100_000)).toHaveProperty("a");
  });

  it("reports the reason when the engine does not report the position", async () => {
    writeFileSync(file, '{"a": yes}');
    await expect(readContext(file, silent)).rejects.toMatchObject({
      code: "INVALID_INPUT",
      message: expect.stringContaining("Unexpected token"),
      details: {},
    });
  });
});
