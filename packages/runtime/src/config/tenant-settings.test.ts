import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { readSettings } from "../settings.ts";

describe("settings of a tenant", () => {
  let directory: string;
  let file: string;
  beforeAll(() => {
    directory = mkdtempSync(path.join(tmpdir(), "workrail-tenant-"));
    file = path.join(directory, "tenants.json");
  });
  afterAll(() => rmSync(directory, { recursive: true, force: true }));

  const envOf = (tenant?: string) => ({
    WORKRAIL_DATA_DIR: directory,
    WORKRAIL_STORE: "postgres://db.example/team",
    WORKRAIL_TENANTS_FILE: file,
    WORKRAIL_MAX_TOTAL_BYTES: "5000",
    ...(tenant === undefined ? {} : { WORKRAIL_TENANT: tenant }),
  });
  const totalOf = (tenant?: string, given = {}) => readSettings(envOf(tenant), given).limits.maxTotalBytes;

  it("override the common settings for this tenant only", () => {
    writeFileSync(
      file,
      '{\n  // in bytes\n  "acme": { "maxTotalBytes": 1000, "retentionDays": 0 },\n  "default": { "maxTotalBytes": 2000 },\n}',
    );
    expect(readSettings(envOf("acme"), {}).housekeeping.retentionDays).toBe(0);
    expect([totalOf("acme"), totalOf(), totalOf("other"), readSettings(envOf("other"), {}).housekeeping.retentionDays]).toEqual([
      1000, 2000, 5000, 30,
    ]);
    expect(totalOf("acme", { settings: { maxTotalBytes: 7 } })).toBe(7);
  });

  it("do not count for a data directory, which has no tenant", () => {
    expect(readSettings({ ...envOf(), WORKRAIL_STORE: "" }, {}).limits.maxTotalBytes).toBe(5000);
  });

  it.skipIf(process.platform === "win32")("are read behind links, as Kubernetes makes them", () => {
    const link = path.join(directory, "mounted.json");
    writeFileSync(file, '{ "acme": { "maxTotalBytes": 3000 } }');
    symlinkSync("tenants.json", link);
    expect(readSettings({ ...envOf("acme"), WORKRAIL_TENANTS_FILE: link }, {}).limits.maxTotalBytes).toBe(3000);
  });

  it.each([
    ["broken JSON", '{ "acme": ', "tenants.json"],
    ["a list", "[]", "one JSON object"],
    ["settings that are no object", '{ "acme": 5 }', "one JSON object"],
    ["a tenant that is there twice", '{ "acme": {}, "acme": {} }', "twice"],
    ["a setting for all", '{ "acme": { "maxDepth": 5 } }', "maxDepth"],
    ["a wrong value", '{ "acme": { "retentionDays": -1 } }', "retentionDays must be"],
  ])("are refused in a file with %s", (_, text, named) => {
    writeFileSync(file, text);
    const message = expect.stringContaining(named) as string;
    expect(() => readSettings(envOf("acme"), {})).toThrow(expect.objectContaining({ code: "INVALID_INPUT", message }) as Error);
  });

  it("are refused without the file that is named", () => {
    const env = { ...envOf("acme"), WORKRAIL_TENANTS_FILE: path.join(directory, "missing.json") };
    expect(() => readSettings(env, {})).toThrow(expect.objectContaining({ code: "INVALID_INPUT" }) as Error);
  });
});
