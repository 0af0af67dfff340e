import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { setSetting } from "./set-setting.ts";

function inDirectory(test: (dataDir: string) => void): void {
  const dataDir = fs.mkdtempSync(path.join(os.tmpdir(), "workrail-config-"));
  try {
    test(dataDir);
  } finally {
    fs.rmSync(dataDir, { recursive: true, force: true });
  }
}

describe("setSetting", () => {
  it("writes the value in the form of the file, and returns the effective value", () =>
    inDirectory((dataDir) => {
      const file = path.join(dataDir, "config.json");
      expect(setSetting({ env: {}, dataDir }, "maxDepth", "5")).toMatchObject({ file, value: 5, holds: { value: 5, origin: "file" } });
      expect(setSetting({ env: {}, dataDir }, "checkpointAutoSave", "false")).toMatchObject({ value: false });
      expect(JSON.parse(fs.readFileSync(file, "utf8"))).toEqual({ maxDepth: 5, checkpointAutoSave: false });
      const elsewhere = { env: { WORKRAIL_MAX_DEPTH: "7" }, dataDir };
      expect(setSetting(elsewhere, "maxDepth", "6")).toMatchObject({ value: 6, holds: { value: 7, source: "WORKRAIL_MAX_DEPTH" } });
      expect(setSetting({ env: {}, dataDir }, "maxDepth", undefined)).toMatchObject({ holds: { value: 128, origin: "default" } });
    }));

  it.each([
    ["maxDepht", "5", "There is no setting maxDepht."],
    ["maxDepth", "many", 'maxDepth must be a whole number from 1, not "many".'],
    ["dataDir", "/elsewhere", "dataDir cannot be set in a file that belongs to the store."],
    ["encryptionKey", "AAAA", "encryptionKey cannot be set in a file that belongs to the store."],
  ])("refuses %s = %s, and writes nothing", (name, text, message) =>
    inDirectory((dataDir) => {
      expect(() => setSetting({ env: {}, dataDir }, name, text)).toThrow(expect.objectContaining({ code: "INVALID_INPUT", message }));
      expect(fs.readdirSync(dataDir)).toEqual([]);
    }),
  );

  it("names only the sources from which the setting can be set", () =>
    inDirectory((dataDir) => {
      const refusal = (name: string, hint: string): void =>
        expect(() => setSetting({ env: {}, dataDir }, name, "x")).toThrow(expect.objectContaining({ hint }));
      refusal("dataDir", "Set WORKRAIL_DATA_DIR in the environment, or give --data-dir to the program.");
      refusal("encryptionKey", "Set WORKRAIL_ENCRYPTION_KEY in the environment.");
    }));

  it("refuses a data directory that is a file or inside one", () =>
    inDirectory((directory) => {
      const file = path.join(directory, "file");
      fs.writeFileSync(file, "");
      for (const dataDir of [file, path.join(file, "data")]) {
        const message = `The store cannot be used: ${file} is a file, and a directory is needed.`;
        const refusal = expect.objectContaining({ code: "STORAGE_UNAVAILABLE", message });
        expect(() => setSetting({ env: {}, dataDir }, "maxDepth", "5")).toThrow(refusal);
      }
    }));

  it("replaces an invalid value", () =>
    inDirectory((dataDir) => {
      fs.writeFileSync(path.join(dataDir, "config.json"), '{ "maxDepth": "many" }');
      expect(setSetting({ env: {}, dataDir }, "maxDepth", "5")).toMatchObject({ holds: { value: 5 } });
    }));
});
