import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createToken, readTokens, revokeToken, TokenFile } from "./token-file.ts";

const isWindows = process.platform === "win32";

describe("a token file", () => {
  let directory: string;
  let path: string;

  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), "workrail-tokens-"));
    path = join(directory, "tokens.json");
  });

  afterEach(() => {
    rmSync(directory, { recursive: true, force: true });
  });

  it("finds a token with its scopes and its end, and no other", () => {
    const now = Date.parse("2026-01-01T00:00:00Z");
    const token = createToken(path, { name: "ci", scopes: ["read", "write"], days: 2 }, now);
    const file = new TokenFile(path);
    expect(file.find(token)).toEqual({
      name: "ci",
      scopes: new Set(["read", "write"]),
      expiresAt: Date.parse("2026-01-03T00:00:00Z") / 1_000,
    });
    expect(file.find(`${token}A`)).toBeUndefined();
    expect(file.find(readTokens(path)[0]?.sha256 ?? "")).toBeUndefined();
  });

  it("finds the projects of a token, which are absolute paths", () => {
    const projects = [join(directory, "a"), join(directory, "b")] as [string, string];
    const token = createToken(path, { name: "ci", scopes: ["read"], projects, days: 1 });
    expect(new TokenFile(path).find(token)?.projects).toEqual(projects);
    for (const listed of ["[]", '["relative"]', "[1]", '"/a"']) {
      writeFileSync(path, readFileSync(path, "utf8").replace(/"projects": [^\]]*(?:\]|\S+)/u, `"projects": ${listed}`));
      expect(() => new TokenFile(path).check(), listed).toThrow("tokens.0.projects: must list absolute paths");
    }
  });

  it("finds the tenant of a token, which is a name", () => {
    const token = createToken(path, { name: "ci", scopes: ["read"], tenant: "acme", days: 1 });
    expect(new TokenFile(path).find(token)?.tenant).toBe("acme");
    for (const named of ['""', "7", `"${"x".repeat(129)}"`]) {
      writeFileSync(path, readFileSync(path, "utf8").replace(/"tenant": (?:"[^"]*"|\d+)/u, `"tenant": ${named}`));
      expect(() => new TokenFile(path).check(), named).toThrow("tokens.0.tenant: must be a text of 1 to 128 characters");
    }
  });

  it("keeps only the hash, in a file that its owner alone can read", () => {
    const token = createToken(path, { name: "ci", scopes: ["read"], days: 1 });
    expect(token).toMatch(/^wrk_[A-Za-z0-9_-]{43}$/u);
    expect(readFileSync(path, "utf8")).not.toContain(token);
    expect(readdirSync(directory)).toEqual(["tokens.json"]);
    expect(isWindows ? 0o600 : statSync(path).mode & 0o777).toBe(0o600);
  });

  it("reports tokens that are added and revoked after it was read", () => {
    const first = createToken(path, { name: "first", scopes: ["read"], days: 1 });
    const file = new TokenFile(path);
    expect(file.find(first)?.name).toBe("first");
    const second = createToken(path, { name: "second", scopes: ["read"], days: 1 });
    expect(file.find(second)?.name).toBe("second");
    revokeToken(path, "first");
    expect([file.find(first), file.find(second)?.name]).toEqual([undefined, "second"]);
  });

  it("takes each name once", () => {
    createToken(path, { name: "ci", scopes: ["read"], days: 1 });
    expect(() => createToken(path, { name: "ci", scopes: ["read"], days: 1 })).toThrow('There is a token "ci" already.');
    expect(() => revokeToken(path, "other")).toThrow('There is no token "other".');
    expect(readTokens(path).map(({ name }) => name)).toEqual(["ci"]);
    expect(readdirSync(directory)).toEqual(["tokens.json"]);
  });

  it("is not changed while another program changes it", () => {
    writeFileSync(`${path}.new`, "");
    expect(() => createToken(path, { name: "ci", scopes: ["read"], days: 1 })).toThrow("Another program changes the tokens");
  });

  it.skipIf(isWindows)("is refused when others can read or change it, also later", () => {
    const token = createToken(path, { name: "ci", scopes: ["read"], days: 1 });
    const file = new TokenFile(path);
    expect(file.find(token)?.name).toBe("ci");
    for (const mode of [0o640, 0o604, 0o620]) {
      chmodSync(path, mode);
      expect(() => file.find(token)).toThrow("Others can read or change the token file");
    }
    chmodSync(path, 0o600);
    expect(file.find(token)?.name).toBe("ci");
  });

  it.each([
    ["is missing", undefined, "cannot be read"],
    ["is empty", "", "is not as expected"],
    ["is no JSON", "{", "is not as expected"],
    ["has a field that it does not know", '{"tokens":[],"projects":[]}', "projects"],
    [
      "has a token without an end",
      `{"tokens":[{"name":"a","sha256":"${"0".repeat(64)}","scopes":["read"],"createdAt":"2026-01-01T00:00:00Z"}]}`,
      "tokens.0.expiresAt",
    ],
  ])("is refused when it %s", (_, text, message) => {
    if (text !== undefined) writeFileSync(path, text, { mode: 0o600 });
    expect(() => new TokenFile(path).check()).toThrow(message);
  });

  it.skipIf(isWindows)("is refused when it is a directory, and read through a link", () => {
    expect(() => new TokenFile(directory).check()).toThrow(/is not a regular file|cannot be read/u);
    const token = createToken(path, { name: "ci", scopes: ["read"], days: 1 });
    symlinkSync(path, join(directory, "link"));
    expect(new TokenFile(join(directory, "link")).find(token)?.name).toBe("ci");
  });
});
