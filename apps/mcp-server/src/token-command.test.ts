import { spawnSync } from "node:child_process";
import { chmodSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { bundleServer } from "./testing/bundle.ts";
import { runTokenCommand } from "./token-command.ts";

describe("workrail-mcp token", () => {
  let launcher: string;
  let directory: string;
  let file: string;

  beforeAll(async () => {
    launcher = join(await bundleServer(), "workrail-mcp.mjs");
  });

  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), "workrail-tokens-"));
    file = join(directory, "tokens.json");
  });

  afterEach(() => {
    rmSync(directory, { recursive: true, force: true });
  });

  function run(...args: readonly string[]): { status: number | null; stdout: string; stderr: string } {
    const env = { ...process.env, WORKRAIL_DATA_DIR: join(directory, "data"), WORKRAIL_HTTP_TOKEN_FILE: file };
    const { status, stdout, stderr } = spawnSync(process.execPath, [launcher, ...args], { encoding: "utf8", env });
    return { status, stdout, stderr };
  }

  /** Runs `workrail-mcp token` in this process: most cases end before they read or write. */
  function runHere(...args: readonly string[]): { status: unknown; stdout: string; stderr: string } {
    const [stdout, stderr] = [process.stdout, process.stderr].map((stream) => vi.spyOn(stream, "write").mockReturnValue(true));
    const textOf = (spied: typeof stdout): string => (spied?.mock.calls ?? []).map(([text]) => String(text)).join("");
    try {
      runTokenCommand([...args, "--http-token-file", file]);
      return { status: process.exitCode, stdout: textOf(stdout), stderr: textOf(stderr) };
    } finally {
      process.exitCode = undefined;
      vi.restoreAllMocks();
    }
  }

  it("makes a token and shows it once, lists and revokes it", () => {
    const { status, stdout } = run("token", "create", "ci", "--scopes", "read,write", "--days", "30");
    expect(status).toBe(0);
    expect(stdout).toMatch(/^wrk_[A-Za-z0-9_-]{43}\n$/u);
    expect(readFileSync(file, "utf8")).not.toContain(stdout.trim());
    expect(run("token", "list").stdout).toMatch(/^ci {2}read,write {2}expires \d{4}-\d\d-\d\dT[\d:.]+Z\n$/u);
    expect(run("token", "create", "web", "--scopes", "read", "--project", directory, "--project", join(directory, "b")).status).toBe(0);
    const [, web = ""] = run("token", "list").stdout.split("\n");
    expect(web.endsWith(`  ${JSON.stringify(directory)}  ${JSON.stringify(join(directory, "b"))}`)).toBe(true);
    expect(run("token", "create", "acme-ci", "--scopes", "read", "--tenant", "acme").status).toBe(0);
    expect(run("token", "list").stdout).toContain('Z  tenant "acme"\n');
    for (const name of ["web", "acme-ci"]) run("token", "revoke", name);
    expect(run("token", "revoke", "ci")).toEqual({ status: 0, stdout: "Revoked ci.\n", stderr: "" });
    expect(run("token", "list").stdout).toBe("");
  });

  it.each([
    [["create"], "token create takes one name"],
    [["create", "a", "b"], "token create takes one name"],
    [["create", "a"], "--scopes must be some of read, write, admin"],
    [["create", "a", "--scopes", "read,all"], "--scopes must be some of read, write, admin"],
    [["create", "a", "--scopes", "read", "--days", "0"], "--days must be a whole number"],
    [["create", "a", "--scopes", "read", "--projects", "/x"], "Unknown option '--projects'"],
    [["create", "a", "--scopes", "read", "--tenant", ""], "--tenant must be a name of 1 to 128 characters"],
    [["list", "a"], "token list takes no name"],
    [["lst", "a"], "There is no command token lst"],
  ])("refuses %j", (args, message) => {
    const { status, stdout, stderr } = runHere(...args);
    expect({ status, stdout }).toEqual({ status: 2, stdout: "" });
    expect(stderr).toContain(message);
  });

  it("shows how it is used", () => {
    for (const args of [[], ["help"], ["--help"]]) expect(runHere(...args).stdout).toMatch(/^Usage: workrail-mcp token create <name>/u);
  });

  it.skipIf(process.platform === "win32")("keeps a server from starting when others can read the file", () => {
    run("token", "create", "ci", "--scopes", "read");
    chmodSync(file, 0o644);
    const { status, stderr } = run("--http", "0");
    expect(status).toBe(1);
    expect(stderr).toMatch(/^INVALID_INPUT: Others can read or change the token file .* Run `chmod 600` on it\.\n$/u);
  });

  it("is needed before others can reach a server, which otherwise does not start", () => {
    const env = { ...process.env, WORKRAIL_DATA_DIR: join(directory, "data") };
    for (const [args, message] of [
      [["--http", "0.0.0.0:0"], "callers must prove who they are"],
      [["--http", "127.0.0.1:0", "--http-issuer", "ftp://x"], "must be an address with http or https"],
    ] as const) {
      const { status, stderr } = spawnSync(process.execPath, [launcher, ...args], { encoding: "utf8", env });
      expect(status).toBe(1);
      expect(stderr).toContain(message);
    }
  });
});
