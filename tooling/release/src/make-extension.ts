// Packs the built server as a bundle for Claude Desktop. Usage: node make-extension.ts FILE.mcpb
import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { packExtension } from "@anthropic-ai/mcpb";
import { ROOT } from "./public-packages.ts";

/** Packs `plugins/claude-desktop/manifest.json` with the server and its files. The keychain is not in it. */
export async function makeExtension(file: string): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "workrail-extension-"));
  try {
    cpSync(join(ROOT, "plugins/claude-desktop/manifest.json"), join(folder, "manifest.json"));
    cpSync(join(ROOT, "apps/mcp-server/dist"), join(folder, "server"), { recursive: true });
    for (const name of ["LICENSE", "README.md", "package.json"]) cpSync(join(ROOT, "apps/mcp-server", name), join(folder, name));
    if (!(await packExtension({ extensionPath: folder, outputPath: resolve(file), silent: true })))
      throw new Error(`${file} was not packed.`);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const [, , file] = process.argv;
if (import.meta.main && file !== undefined) await makeExtension(file);
