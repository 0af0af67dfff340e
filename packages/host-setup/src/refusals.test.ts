import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { AMachine, PROGRAMS } from "../test/a-machine.ts";
import { applySetup } from "./apply-plan.ts";

let machine: AMachine;

beforeEach(() => {
  machine = new AMachine();
});
afterEach(() => machine.remove());

const REFUSED: Readonly<Record<string, readonly [text: string | Uint8Array, reason: RegExp]>> = {
  "a comment in strict JSON": ['{\n  // mine\n  "a": 1\n}\n', /line 2 has a comment/u],
  "a comma too many": ['{\n  "a": 1,\n}\n', /not valid in line 3/u],
  "half a file": ['{ "hooks": {', /not valid in line 1/u],
  "an array": ["[]", /must hold one JSON object/u],
  "no JSON": ["hello", /not valid in line 1/u],
  "bytes that are no text": [new Uint8Array([0x7b, 0xff, 0x7d]), /not UTF-8/u],
  "null hooks": ['{ "hooks": null }', /"hooks" is null there, and must be an object/u],
  "hooks in an array": ['{ "hooks": [] }', /"hooks" is an array there/u],
  "hooks of an event in an object": ['{ "hooks": { "Stop": {} } }', /"hooks.Stop" is an object there, and must be an array/u],
  "hooks of an event in a text": ['{ "hooks": { "Stop": "x" } }', /"hooks.Stop" is a string there/u],
  "deeply nested JSON": [`{"a":${"[".repeat(100_000)}${"]".repeat(100_000)}}`, /nested too deeply/u],
};

describe("set-up of hooks", () => {
  it.each(Object.entries(REFUSED))("refuses %s, says so, and leaves the file", async (_name, [text, reason]) => {
    const file = machine.file("claude-code", "hooks");
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, text);
    const { changes, faults } = await machine.setUp("claude-code");
    expect(faults).toEqual([expect.objectContaining({ file, message: expect.stringMatching(reason) })]);
    expect(changes.map((change) => change.file)).toEqual([machine.file("claude-code", "mcp")]);
    expect(readFileSync(file)).toEqual(Buffer.from(text));
  });

  it("ignores values that are no hooks, and adds its own", async () => {
    const file = machine.file("claude-code", "hooks");
    machine.write(file, '{ "hooks": { "Stop": [null, 5, "x", { "hooks": null }, { "hooks": [null, {}] }] } }');
    const { faults } = await machine.setUp("claude-code");
    expect(faults).toEqual([]);
    const { hooks } = JSON.parse(readFileSync(file, "utf8")) as { readonly hooks: { readonly Stop: readonly unknown[] } };
    expect(hooks.Stop).toHaveLength(6);
  });

  it("changes only the command of hooks of another installation", async () => {
    await machine.setUp("claude-code");
    const file = machine.file("claude-code", "hooks");
    const before = readFileSync(file, "utf8");
    await machine.setUp("claude-code", { hook: { command: "/usr/bin/node", args: ["/new/workrail.mjs"] } });
    expect(readFileSync(file, "utf8")).toBe(
      before.replaceAll('/opt/node/bin/node \\"/opt/work rail/workrail.mjs\\"', "/usr/bin/node /new/workrail.mjs"),
    );
  });

  it("are not written where the plugin is on", async () => {
    machine.write(machine.file("claude-code", "hooks"), '{ "enabledPlugins": { "workrail@workrail": true } }');
    const { changes, notes } = await machine.setUp("claude-code");
    expect(changes).toEqual([]);
    expect(notes.join()).toContain("every hook would run twice");
  });
});

describe("set-up of an MCP entry", () => {
  it.each([
    ["claude-code", '{ "mcpServers": { "workrail": { "command": "theirs" } } }'],
    ["codex", '[mcp_servers.workrail]\ncommand = "theirs"\n'],
  ] as const)("refuses an entry of the same name that starts another program (%s)", async (host, text) => {
    machine.write(machine.file(host, "mcp"), text);
    const { faults } = await machine.setUp(host, { hooks: false });
    expect(faults.map(({ message }) => message).join()).toContain("starts another program");
    expect(readFileSync(machine.file(host, "mcp"), "utf8")).toBe(text);
    await machine.takeBack(host, { hooks: false });
    expect(readFileSync(machine.file(host, "mcp"), "utf8")).toBe(text);
  });

  it.each([
    ["claude-code", '{ "mcpServers": null }'],
    ["gemini", '{ "mcpServers": [1] }'],
    ["codex", "mcp_servers = 5\n"],
    ["codex", "this is = = no TOML"],
  ] as const)("refuses what is no place for it (%s, %s)", async (host, text) => {
    machine.write(machine.file(host, "mcp"), text);
    const { changes, faults } = await machine.setUp(host, { hooks: false });
    expect([changes.length, faults.length]).toEqual([0, 1]);
  });

  it("pins another version in place, and keeps the user's additions", async () => {
    for (const host of ["claude-code", "codex", "opencode"] as const) {
      const file = machine.file(host, "mcp");
      await machine.setUp(host);
      machine.write(
        file,
        readFileSync(file, "utf8").replace(/("command":|command =)/u, (found) =>
          host === "codex" ? `startup_timeout_sec = 9 # mine\n${found}` : `"mine": 9, ${found}`,
        ),
      );
      await machine.setUp(host, { server: { command: "npx", args: ["-y", "@workrail/mcp-server@1.2.3"] } });
      const text = readFileSync(file, "utf8");
      expect(text).toContain("@workrail/mcp-server@1.2.3");
      expect(text).toContain("mine");
    }
  });
});

describe("files that are not plain", () => {
  it("refuses a directory in the place of a file", async () => {
    mkdirSync(machine.file("claude-code", "hooks"), { recursive: true });
    const { faults } = await machine.setUp("claude-code");
    expect(faults.map(({ message }) => message)).toEqual([expect.stringContaining("it is a directory")]);
  });

  it("refuses a read-only file before anything is written", async () => {
    const file = machine.file("gemini", "mcp");
    machine.write(file, "{}");
    chmodSync(file, 0o444);
    await expect(machine.setUp("gemini")).rejects.toMatchObject({ code: "INVALID_INPUT", message: expect.stringContaining("read-only") });
    expect(readFileSync(file, "utf8")).toBe("{}");
    expect(machine.records.get(file)).toBeUndefined();
  });

  it("writes through symbolic links, also to a file that is not there yet, and keeps them", async () => {
    const dotfiles = path.join(machine.folder, "dotfiles");
    mkdirSync(dotfiles);
    const settings = machine.file("claude-code", "hooks");
    mkdirSync(path.dirname(settings), { recursive: true });
    writeFileSync(path.join(dotfiles, "settings.json"), '{"a":1}');
    symlinkSync(path.join("..", "..", "dotfiles", "settings.json"), settings);
    const servers = machine.file("claude-code", "mcp");
    symlinkSync(path.join(dotfiles, "claude.json"), servers);
    await machine.setUp("claude-code");
    expect(readlinkSync(settings)).toBe(path.join("..", "..", "dotfiles", "settings.json"));
    expect(readFileSync(path.join(dotfiles, "settings.json"), "utf8")).toContain("workrail");
    expect(readFileSync(path.join(dotfiles, "claude.json"), "utf8")).toContain("workrail");
    await machine.takeBack("claude-code");
    expect(readFileSync(path.join(dotfiles, "settings.json"), "utf8")).toBe('{"a":1}');
    expect(existsSync(path.join(dotfiles, "claude.json"))).toBe(false);
    expect(readlinkSync(servers)).toBe(path.join(dotfiles, "claude.json"));
  });

  it("refuses links in a circle", async () => {
    const file = machine.file("gemini", "mcp");
    mkdirSync(path.dirname(file), { recursive: true });
    symlinkSync(file, file);
    expect(machine.plan("gemini").faults).toHaveLength(1);
  });

  it("keeps the mode of a file; only the owner can read a new file, except in a project", async () => {
    const file = machine.file("gemini", "mcp");
    machine.write(file, "{}");
    chmodSync(file, 0o640);
    await machine.setUp("gemini");
    expect(statSync(file).mode & 0o777).toBe(0o640);
    await machine.setUp("codex");
    expect(statSync(machine.file("codex", "mcp")).mode & 0o777).toBe(0o600);
    await machine.setUp("claude-code", { scope: "project" });
    expect(statSync(machine.file("claude-code", "mcp", "project")).mode & 0o777).toBe(0o644);
  });

  it("refuses a file that changed after it was shown", async () => {
    const file = machine.file("gemini", "mcp");
    machine.write(file, "{}");
    const plan = machine.plan("gemini");
    machine.write(file, '{ "new": 1 }');
    await expect(applySetup(plan, machine.records)).rejects.toMatchObject({ code: "CONFLICT" });
    expect(readFileSync(file, "utf8")).toBe('{ "new": 1 }');
    await machine.setUp("gemini");
    await machine.takeBack("gemini");
    expect(readFileSync(file, "utf8")).toBe('{ "new": 1 }');
  });

  it("refuses another plugin of the same name", () => {
    machine.write(machine.file("opencode", "hooks"), "export const Theirs = 1;\n");
    expect(
      machine
        .plan("opencode")
        .faults.map(({ message }) => message)
        .join(),
    ).toContain("another plugin");
  });
});

describe("the record of a set-up", () => {
  it("is readable by its owner only, and deleted by the removal", async () => {
    await machine.setUp("codex");
    const file = machine.file("codex", "mcp");
    expect(machine.records.get(file)).toMatchObject({ file, undo: null });
    for (const name of recordFiles()) expect(statSync(name).mode & 0o777).toBe(0o600);
    await machine.takeBack("codex");
    expect(machine.records.get(file)).toBeUndefined();
  });

  it("contains the state before the first set-up, after several and after edits in between", async () => {
    const file = machine.file("claude-code", "mcp");
    machine.write(file, '{"a":1}');
    await machine.setUp("claude-code", { hooks: false });
    await machine.setUp("claude-code", { server: { command: "npx", args: ["-y", "@workrail/mcp-server@1.2.3"] } });
    await machine.takeBack("claude-code");
    expect(readFileSync(file, "utf8")).toBe('{"a":1}');
    await machine.setUp("claude-code");
    machine.write(file, readFileSync(file, "utf8").replace('"a":1', '"a":2'));
    await machine.setUp("claude-code", { server: { command: "npx", args: ["-y", "@workrail/mcp-server@1.2.3"] } });
    await machine.takeBack("claude-code");
    expect(readFileSync(file, "utf8")).toBe('{"a":2}');
  });

  it("stays when only some entries are removed", async () => {
    const file = machine.file("gemini", "mcp");
    machine.write(file, '{ "theme": "dark" }\n');
    await machine.setUp("gemini");
    await machine.takeBack("gemini", { hooks: false });
    expect(readFileSync(file, "utf8")).toMatch(/workrail" hook|workrail\.mjs/u);
    expect(readFileSync(file, "utf8")).not.toContain("npx");
    await machine.takeBack("gemini");
    expect(readFileSync(file, "utf8")).toBe('{ "theme": "dark" }\n');
  });

  it("that is damaged is refused", async () => {
    await machine.setUp("windsurf");
    const file = machine.file("windsurf", "mcp");
    const before = readFileSync(file, "utf8");
    for (const name of recordFiles()) writeFileSync(name, "{");
    const { changes, faults } = await machine.takeBack("windsurf");
    expect([changes.length, faults[0]?.message]).toEqual([0, expect.stringContaining("cannot be read")]);
    expect(readFileSync(file, "utf8")).toBe(before);
  });

  it("is not needed: without it the entries are taken out", async () => {
    const file = machine.file("codex", "mcp");
    machine.write(file, "# mine\n");
    await machine.setUp("codex");
    for (const name of recordFiles()) rmSync(name);
    await machine.takeBack("codex");
    expect(readFileSync(file, "utf8").trim()).toBe("# mine");
  });
});

function recordFiles(): readonly string[] {
  const folder = path.join(machine.dataDir, "setup");
  return readdirSync(folder).map((name) => path.join(folder, name));
}

it("quotes the commands of hooks on Windows", () => {
  const windows = new AMachine("win32");
  try {
    const [, hooks] = windows.parts("claude-code");
    const { hook } = { hook: { command: "C:\\Program Files\\nodejs\\node.exe", args: ["C:\\npm\\workrail.mjs"] } };
    const plan = windows.plan("claude-code", { ...PROGRAMS, hook });
    expect(plan.changes.find(({ file }) => file === hooks?.file)?.after).toContain(
      String.raw`"\"C:/Program Files/nodejs/node.exe\" \"C:/npm/workrail.mjs\" hook stop --host claude-code"`,
    );
  } finally {
    windows.remove();
  }
});
