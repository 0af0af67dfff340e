import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import process from "node:process";
import type { DoctorFinding, DoctorReport } from "@workrail/runtime";
import { describe, expect, it } from "vitest";
import { useCli } from "../testing/use-cli.ts";

const cli = useCli();
const home = (): string => path.join(cli.folder, "home");
const script = (name = "workrail-mcp.mjs"): string => path.join(cli.folder, name);
const started = (): boolean => existsSync(path.join(cli.folder, "started"));

/** A home directory where Claude Code and Gemini CLI were started once, and an npx that runs the server of the test. */
function env(): Readonly<Record<string, string>> {
  for (const folder of [".claude", ".gemini"]) mkdirSync(path.join(home(), folder), { recursive: true });
  const bin = path.join(cli.folder, "bin");
  mkdirSync(bin, { recursive: true });
  const npx = `#!/bin/sh\nexec '${process.execPath}' '${script()}'\n`;
  for (const name of ["npx", "npx.cmd"]) writeFileSync(path.join(bin, name), npx, { mode: 0o755 });
  const others = { XDG_CONFIG_HOME: "", CLAUDE_CONFIG_DIR: "", CODEX_HOME: "", GEMINI_CLI_HOME: "", APPDATA: "" };
  return { HOME: home(), USERPROFILE: home(), PATH: bin, ...others };
}

async function examine(check: string, args: readonly string[] = []): Promise<readonly DoctorFinding[]> {
  const { findings } = await cli.json<DoctorReport>(["doctor", ...args], { env: env() });
  return findings.filter((finding) => finding.check === check);
}

function writeServer(): void {
  const answer = '{"jsonrpc":"2.0","id":1,"result":{"serverInfo":{"name":"workrail","version":"9.9.9"}}}';
  const code = `import fs from "node:fs";
fs.writeFileSync(${JSON.stringify(path.join(cli.folder, "started"))}, process.env.WORKRAIL_READ_ONLY ?? "");
process.stdin.on("data", () => console.log(${JSON.stringify(answer)}));`;
  writeFileSync(script(), code);
}

function entry(file: string, command: string, ...args: string[]): void {
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, JSON.stringify({ mcpServers: { workrail: { command, args } } }));
}

describe("workrail doctor with agents", () => {
  it("omits missing agents, and shows how to connect the others", async () => {
    expect(await examine("host")).toEqual(
      [
        ["claude-code", "Claude Code: not connected."],
        ["gemini", "Gemini CLI: not connected."],
      ].map(([host, message]) => ({ check: "host", host, status: "ok", message, hint: `\`workrail setup ${host}\` connects it.` })),
    );
    expect(await examine("server")).toEqual([]);
  });

  it("reports entries, and hooks before and after their first run", async () => {
    await cli.output(["setup", "claude-code", "--yes"], { env: env() });
    const before = readdirSync(home(), { recursive: true });
    const [connection, silent] = await examine("host");
    expect(connection?.message).toMatch(
      /^Claude Code: MCP server in .*\.claude\.json; hooks SessionStart, .*SessionEnd in .*settings\.json\.$/u,
    );
    expect(silent).toMatchObject({ status: "warning", message: "Claude Code: no hook has run yet.", hint: "Restart Claude Code." });
    expect(readdirSync(home(), { recursive: true })).toEqual(before);
    const input = JSON.stringify({ session_id: "s", cwd: cli.project });
    await cli.output(["hook", "session-start", "--host", "claude-code"], { input });
    expect((await examine("host")).filter(({ status }) => status === "warning")).toEqual([]);
    expect((await examine("hooks"))[0]).toMatchObject({
      host: "claude-code",
      status: "ok",
      message: expect.stringContaining("session-start"),
    });
  });

  it("starts the installed server read-only, and reports its answer", async () => {
    writeServer();
    entry(path.join(home(), ".claude.json"), process.execPath, script());
    const [finding, ...others] = await examine("server");
    expect(others).toEqual([]);
    expect(finding).toMatchObject({
      status: "ok",
      message: expect.stringMatching(/^Claude Code: .* answers as workrail 9\.9\.9, in \d+ ms\.$/u),
    });
    expect(readFileSync(path.join(cli.folder, "started"), "utf8")).toBe("true");
    expect(existsSync(cli.dataDir)).toBe(false);
  });

  it("warns of a server that does not start, and of a missing one", async () => {
    writeFileSync(script(), "throw new Error('no');");
    entry(path.join(home(), ".claude.json"), process.execPath, script());
    expect(await examine("server")).toMatchObject([
      { status: "warning", message: expect.stringContaining("does not work: it ended with 1") },
    ]);
    entry(path.join(home(), ".claude.json"), process.execPath, script("gone/workrail-mcp.mjs"));
    expect(await examine("host")).toContainEqual(
      expect.objectContaining({ status: "warning", message: expect.stringContaining("does not exist") }),
    );
  });

  it("starts no server of a project, and no entry in a form that setup does not write", async () => {
    writeServer();
    entry(path.join(cli.project, ".mcp.json"), process.execPath, script());
    entry(path.join(home(), ".claude.json"), process.execPath, "--import", script(), script());
    const findings = await examine("server");
    expect(findings.map(({ message }) => message.split(". ").at(-1))).toEqual([
      "Not started: the entry does not have the form that `workrail setup` writes.",
      expect.stringMatching(/^Not started: the entry is in .*\.mcp\.json, a file of a project\.$/u),
    ]);
    expect(started()).toBe(false);
  });

  it.skipIf(process.platform === "win32")("starts servers of npx only with --npx (not on Windows)", async () => {
    writeServer();
    await cli.output(["setup", "claude-code", "gemini", "--no-hooks", "--yes"], { env: env() });
    const told = "Claude Code, Gemini CLI: npx -y @workrail/mcp-server";
    expect(await examine("server")).toMatchObject([{ status: "ok", message: `${told}. Not started: npx may have to download it.` }]);
    expect(started()).toBe(false);
    expect(await examine("server", ["--npx"])).toMatchObject([
      { status: "ok", message: expect.stringMatching(/^Claude.* answers as workrail 9\.9\.9/u) },
    ]);
  });
});
