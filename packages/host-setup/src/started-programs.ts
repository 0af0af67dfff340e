import fs from "node:fs";
import path from "node:path";
import type { Program } from "./host-part.ts";
import { SERVER_PACKAGE } from "./our-program.ts";
import { findProgram, isFile, type Surroundings } from "./surroundings.ts";

/** The running installation. */
export interface Installation {
  /** The file that Node runs. */
  readonly script: string;
  /** The file of Node itself. */
  readonly node: string;
}

/** The server as npm's runner starts it; on Windows a host can only start that through cmd. @param version pins the package. */
export function serverByNpx({ platform }: Surroundings, version?: string): Program {
  const args = ["-y", version === undefined ? SERVER_PACKAGE : `${SERVER_PACKAGE}@${version}`];
  return platform === "win32" ? { command: "cmd", args: ["/c", "npx", ...args] } : { command: "npx", args };
}

/** The server that is installed here, in this package or beside it; `undefined` when there is none. */
export function localServer(installation: Installation, surroundings: Surroundings): Program | undefined {
  const folder = path.dirname(installation.script);
  const candidates = [path.join(folder, "workrail-mcp.mjs"), path.join(folder, "..", "..", "mcp-server", "dist", "workrail-mcp.mjs")];
  const script = candidates.find(isFile);
  return script === undefined ? undefined : { command: stableNode(installation, surroundings), args: [withoutVersion(script)] };
}

/** The program that hooks call: this installation, by paths that stay when Node or the package is updated, where there are such. */
export function hookProgram(installation: Installation, surroundings: Surroundings): Program {
  return { command: stableNode(installation, surroundings), args: [withoutVersion(installation.script)] };
}

/** Whether the package manager may remove this installation at any time: it was made to run a program once. */
export function isTemporary({ script }: Installation): boolean {
  return /[\\/](?:_npx|dlx(?:-\d+)?|bunx-[^\\/]*)[\\/]/u.test(script);
}

/** A Node on the path of programs that is this one now, and another one after an update: the file itself may have its version in its path. */
function stableNode({ node }: Installation, surroundings: Surroundings): string {
  const onPath = findProgram("node", surroundings);
  return onPath !== undefined && realPath(onPath) === realPath(node) ? onPath : node;
}

/** pnpm keeps packages in folders with their versions, and links each of its own in a folder without. */
function withoutVersion(script: string): string {
  const [, root, inside] = /^(.*[\\/]node_modules[\\/])\.pnpm[\\/][^\\/]+[\\/]node_modules[\\/](.*)$/u.exec(script) ?? [];
  const linked = root === undefined || inside === undefined ? undefined : path.join(root, inside);
  return linked !== undefined && realPath(linked) === realPath(script) ? linked : script;
}

function realPath(file: string): string | undefined {
  return fs.existsSync(file) ? fs.realpathSync(file) : undefined;
}
