import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { AMachine } from "../test/a-machine.ts";
import { type HostReport, inspectHosts } from "./inspect-hosts.ts";
import { SETUP_HOSTS, type SetupHost } from "./setup-hosts.ts";

let machine: AMachine;

beforeEach(() => {
  machine = new AMachine("linux", { PATH: path.dirname(process.execPath) });
});
afterEach(() => machine.remove());

function reportOf(host: SetupHost): HostReport {
  const report = inspectHosts(machine.surroundings).find((each) => each.host === host);
  if (report === undefined) throw new Error(host);
  return report;
}

/** Existing programs: Node, with this file as its script. */
const THERE = {
  server: { command: process.execPath, args: [path.join(import.meta.dirname, "..", "test", "workrail-mcp.mjs")] },
  hook: { command: process.execPath, args: [import.meta.filename.replace(/[^\\/]+$/u, "our-program.ts")] },
} as const;

describe("inspectHosts", () => {
  it("finds nothing in an empty home", () => {
    const found = inspectHosts(machine.surroundings).map(({ servers, hooks, faults }) => [...servers, ...hooks, ...faults]);
    expect(found).toEqual(SETUP_HOSTS.map(() => []));
  });

  it.each(SETUP_HOSTS)("finds the set-up of %s", async (host) => {
    await machine.setUp(host);
    const { isThere, servers, hooks } = reportOf(host);
    expect(isThere).toBe(true);
    expect(servers).toEqual([
      { scope: "user", file: machine.file(host, "mcp"), program: { command: "npx", args: ["-y", "@workrail/mcp-server"] } },
    ]);
    expect(hooks.flatMap(({ events }) => events).length > 0).toBe(!["vscode", "windsurf"].includes(host));
  });

  it("finds commands that are not there", async () => {
    machine.write(machine.file("claude-code", "mcp"), "{}");
    await machine.setUp("claude-code", { server: THERE.server });
    const messages = reportOf("claude-code").faults.map(({ message }) => message);
    expect(messages).toEqual([
      expect.stringContaining(`MCP entry in ${machine.file("claude-code", "mcp")} cannot start: ${THERE.server.args[0]}`),
      expect.stringContaining("cannot start: /opt/node/bin/node"),
      expect.stringContaining("cannot start: /opt/work rail/workrail.mjs"),
    ]);
  });

  it("reports a file that the host cannot read", () => {
    machine.write(machine.file("claude-code", "hooks"), "{ // mine\n}");
    expect(reportOf("claude-code").faults.map(({ message }) => message)).toEqual([expect.stringContaining("line 1 has a comment")]);
  });

  it("reports hooks that fire twice because of a plugin", async () => {
    await machine.setUp("claude-code");
    machine.write(
      path.join(machine.surroundings.project, ".claude", "settings.json"),
      '{ "enabledPlugins": { "workrail@workrail": true } }',
    );
    const { hasPlugin, faults } = reportOf("claude-code");
    expect(hasPlugin).toBe(true);
    expect(faults.map(({ message }) => message).join()).toContain("fire twice");
  });
});
