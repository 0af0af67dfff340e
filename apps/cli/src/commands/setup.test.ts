import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { useCli } from "../testing/use-cli.ts";

const cli = useCli();

interface Answer {
  readonly hosts: readonly { readonly host: string; readonly isDone: boolean; readonly changes: readonly { readonly file: string }[] }[];
}

/** Creates a home directory where only Gemini CLI was started once. */
function aHome(): Readonly<Record<string, string>> {
  const home = path.join(cli.folder, "home");
  mkdirSync(path.join(home, ".gemini"), { recursive: true });
  writeFileSync(path.join(home, ".gemini", "settings.json"), '{ "theme": "dark" } // mine\n');
  return { HOME: home, USERPROFILE: home, PATH: "", XDG_CONFIG_HOME: "", CLAUDE_CONFIG_DIR: "", CODEX_HOME: "", GEMINI_CLI_HOME: "" };
}

const settings = (): string => path.join(cli.folder, "home", ".gemini", "settings.json");

describe("workrail setup", () => {
  it("sets up the found agents, changes nothing the second time, and undoes it byte for byte", async () => {
    const env = aHome();
    const before = readFileSync(settings(), "utf8");
    const { hosts } = await cli.json<Answer>(["setup", "--yes"], { env });
    expect(hosts.map(({ host, isDone }) => [host, isDone])).toEqual([["gemini", true]]);
    const written = readFileSync(settings(), "utf8");
    expect(written).toContain("workrail.mjs hook stop --host gemini");
    expect((await cli.json<Answer>(["setup", "--yes"], { env })).hosts.flatMap(({ changes }) => changes)).toEqual([]);
    expect(readFileSync(settings(), "utf8")).toBe(written);
    await cli.json<Answer>(["setup", "--remove", "--yes"], { env });
    expect(readFileSync(settings(), "utf8")).toBe(before);
  });

  it("writes nothing with --dry-run or without a terminal", async () => {
    const env = aHome();
    const before = readFileSync(settings(), "utf8");
    expect(await cli.output(["setup", "gemini", "codex", "--dry-run"], { env })).toContain("BeforeAgent");
    expect(await cli.run(["setup", "gemini"], { env })).toMatchObject({ code: 2, stderr: expect.stringContaining("--yes") });
    expect(readFileSync(settings(), "utf8")).toBe(before);
    expect(existsSync(path.join(cli.folder, "home", ".codex"))).toBe(false);
    expect(existsSync(cli.dataDir)).toBe(false);
  });

  it("lists the supported agents when none is found", async () => {
    const env = { ...aHome(), HOME: "/nonexistent", USERPROFILE: "/nonexistent" };
    expect(await cli.run(["setup"], { env })).toMatchObject({ code: 2, stderr: expect.stringContaining("claude-code, codex") });
  });

  it("pins the version, and refuses a missing local server", async () => {
    const env = aHome();
    await cli.output(["setup", "gemini", "--pin", "--no-hooks", "--yes"], { env });
    expect(readFileSync(settings(), "utf8")).toMatch(/"@workrail\/mcp-server@\d+\.\d+\.\d+"/u);
    expect(await cli.run(["setup", "gemini", "--local", "--yes"], { env })).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("not installed beside"),
    });
  });

  it("sets a project up in the directory that is given", async () => {
    const env = aHome();
    await cli.output(["setup", "claude-code", "--scope", "project", "--project", cli.folder, "--yes"], { env });
    expect(existsSync(path.join(cli.folder, ".mcp.json"))).toBe(true);
    expect(existsSync(path.join(cli.folder, ".claude", "settings.local.json"))).toBe(true);
  });
});
