import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { AMachine } from "../test/a-machine.ts";
import { hookProgram, isTemporary, localServer, serverByNpx } from "./started-programs.ts";

let machine: AMachine;

beforeEach(() => {
  machine = new AMachine();
});
afterEach(() => machine.remove());

function aFile(...names: readonly string[]): string {
  const file = path.join(machine.folder, ...names);
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, "");
  return file;
}

describe("programs that entries start", () => {
  it("are npx with the package, through cmd on Windows, pinned on request", () => {
    expect(serverByNpx(machine.surroundings, "1.2.3")).toEqual({ command: "npx", args: ["-y", "@workrail/mcp-server@1.2.3"] });
    const windows = { ...machine.surroundings, platform: "win32" } as const;
    expect(serverByNpx(windows)).toEqual({ command: "cmd", args: ["/c", "npx", "-y", "@workrail/mcp-server"] });
  });

  it("are named by paths without versions if possible", () => {
    const node = aFile("versions", "24.1.0", "node");
    mkdirSync(path.join(machine.folder, "bin"));
    symlinkSync(node, path.join(machine.folder, "bin", "node"));
    const store = path.join("node_modules", ".pnpm", "@workrail+cli@1.2.3", "node_modules", "@workrail", "cli");
    const script = aFile(store, "dist", "workrail.mjs");
    mkdirSync(path.join(machine.folder, "node_modules", "@workrail"));
    const linked = path.join(machine.folder, "node_modules", "@workrail", "cli");
    symlinkSync(path.join(machine.folder, store), linked, "junction");
    const surroundings = { ...machine.surroundings, env: { PATH: path.join(machine.folder, "bin") } };
    expect(hookProgram({ node, script }, surroundings)).toEqual({
      command: path.join(machine.folder, "bin", "node"),
      args: [path.join(linked, "dist", "workrail.mjs")],
    });
    expect(hookProgram({ node, script }, machine.surroundings).command).toBe(node);
  });

  it("can be the server installed with the command line", () => {
    const installation = { node: "/node", script: aFile("@workrail", "cli", "dist", "workrail.mjs") };
    expect(localServer(installation, machine.surroundings)).toBeUndefined();
    const server = aFile("@workrail", "mcp-server", "dist", "workrail-mcp.mjs");
    expect(localServer(installation, machine.surroundings)).toEqual({ command: "/node", args: [server] });
  });

  it.each([
    ["/home/u/.npm/_npx/0f1e/node_modules/@workrail/mcp-server/dist/workrail-mcp.mjs", true],
    ["/home/u/.cache/pnpm/dlx-12/node_modules/@workrail/cli/dist/workrail.mjs", true],
    ["/tmp/bunx-1000-@workrail/cli/dist/workrail.mjs", true],
    ["/usr/lib/node_modules/@workrail/cli/dist/workrail.mjs", false],
  ])("are in a cache: %s (%s)", (script, expected) => {
    expect(isTemporary({ node: "/node", script })).toBe(expected);
  });
});
