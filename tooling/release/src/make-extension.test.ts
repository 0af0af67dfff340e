import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { unpackExtension, validateManifest } from "@anthropic-ai/mcpb";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { makeExtension } from "./make-extension.ts";

interface Manifest {
  readonly server: { readonly entry_point: string; readonly mcp_config: { readonly args: readonly string[] } };
}

describe("the bundle for Claude Desktop", () => {
  let folder: string;
  let file: string;
  let extension: string;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "workrail-mcpb-"));
    file = join(folder, "workrail.mcpb");
    await makeExtension(file);
    extension = join(folder, "installed");
    await unpackExtension({ mcpbPath: file, outputDir: extension, silent: true });
  }, 120_000);
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it("stays under 16 MB", () => {
    expect(statSync(file).size).toBeLessThan(16_000_000);
  });

  it("has a valid manifest", () => {
    const told = vi.spyOn(console, "log").mockImplementation(() => {});
    try {
      expect(validateManifest(join(extension, "manifest.json"))).toBe(true);
    } finally {
      told.mockRestore();
    }
  });

  it("starts as its manifest says, outside of any project, and saves", () => {
    const { server } = JSON.parse(readFileSync(join(extension, "manifest.json"), "utf8")) as Manifest;
    expect(statSync(join(extension, server.entry_point)).isFile()).toBe(true);
    const messages = [
      {
        id: 1,
        method: "initialize",
        params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "test", version: "0" } },
      },
      { id: 2, method: "tools/call", params: { name: "workflow_checkpoint_save", arguments: { context: { goal: "be installed" } } } },
    ];
    const { stdout, status } = spawnSync(
      process.execPath,
      server.mcp_config.args.map((arg) => arg.replace("${__dirname}", extension)),
      {
        cwd: folder,
        input: messages.map((message) => `${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`).join(""),
        encoding: "utf8",
        env: { ...process.env, WORKRAIL_DATA_DIR: join(folder, "store") },
      },
    );
    expect(status).toBe(0);
    expect(stdout).toContain('"status":"SAVED"');
  });
});
