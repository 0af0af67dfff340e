import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { CONFIG_FILE, readConfigFile, writeConfigMember } from "./config-file.ts";

let file: string;

beforeEach(() => {
  file = path.join(fs.mkdtempSync(path.join(os.tmpdir(), "workrail-config-")), "data", CONFIG_FILE);
});

afterEach(() => fs.rmSync(path.join(file, "../.."), { recursive: true, force: true }));

function write(text: string): void {
  fs.mkdirSync(path.dirname(file), { recursive: true });
  fs.writeFileSync(file, text);
}

describe("a member of config.json", () => {
  it("is set in a new file, which only the owner can access", () => {
    writeConfigMember(file, "maxDepth", 5);
    expect(fs.readFileSync(file, "utf8")).toBe('{\n  "maxDepth": 5\n}\n');
    expect(process.platform === "win32" ? 0 : fs.statSync(file).mode & 0o077).toBe(0);
    expect(fs.readdirSync(path.dirname(file))).toEqual([CONFIG_FILE]);
  });

  it("is set, replaced and removed, and comments stay", () => {
    write('// mine\n{\n  "maxDepth": 5, // deep\n  /* many */ "maxKeys": 6\n}\n');
    writeConfigMember(file, "maxDepth", 7);
    writeConfigMember(file, "trashDays", 1);
    writeConfigMember(file, "maxKeys", undefined);
    const text = fs.readFileSync(file, "utf8");
    for (const kept of ["// mine\n", '"maxDepth": 7, // deep\n', "/* many */"]) expect(text).toContain(kept);
    expect(readConfigFile(file).members.map(({ name, value }) => [name, value])).toEqual([
      ["maxDepth", 7],
      ["trashDays", 1],
    ]);
  });

  it("is set in a file that has only comments", () => {
    write("// nothing yet\n");
    writeConfigMember(file, "maxDepth", 5);
    expect(fs.readFileSync(file, "utf8")).toContain("// nothing yet\n");
    expect(readConfigFile(file).members).toMatchObject([{ name: "maxDepth", value: 5 }]);
  });

  it("is not set in a directory without write permission, and the error names the directory", () => {
    vi.spyOn(fs, "writeFileSync").mockImplementationOnce(() => {
      throw Object.assign(new Error("EACCES: injected"), { code: "EACCES" });
    });
    const details = { reason: "not-permitted", code: "EACCES", path: path.dirname(file) };
    const refusal = { code: "STORAGE_UNAVAILABLE", details };
    expect(() => writeConfigMember(file, "maxDepth", 5)).toThrow(expect.objectContaining(refusal));
  });

  it("is not set in a file that is not JSON, which stays unchanged", () => {
    write('{ "maxDepth": ');
    expect(() => writeConfigMember(file, "maxKeys", 5)).toThrow(expect.objectContaining({ code: "INVALID_INPUT" }));
    expect(fs.readFileSync(file, "utf8")).toBe('{ "maxDepth": ');
  });
});
