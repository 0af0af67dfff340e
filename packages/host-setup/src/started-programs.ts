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

/** Command that starts the server by npx. On Windows a host starts npx only through cmd. @param version pins the package. */
export function serverByNpx({ platform }: Surroundings, version?: string): Program {
  const args = ["-y", version === undefined ? SERVER_PACKAGE : `${SERVER_PACKAGE}@${version}`];
  return platform === "win32" ? { command: "cmd", args: ["/c", "npx", ...args] } : { command: "npx", args };
}

/** The installed server, in this package or beside it; `undefined` when there is none. */
export function localServer(installation: Installation, surroundings: Surroundings): Program | undefined {
  const folder = path.dirname(installation.script);
  const candidates = [path.join(folder, "workrail-mcp.mjs"), path.join(folder, "..", "..", "mcp-server", "dist", "workrail-mcp.mjs")];
  const script = candidates.find(isFile);
  return script === undefined ? undefined : { command: stableNode(installation, surroundings), args: [withoutVersion(script)] };
}

/** Command of the hooks: this installation, where possible by paths that survive updates of Node and the package. */
export function hookProgram(installation: Installation, surroundings: Surroundings): Program {
  return { command: stableNode(installation, surroundings), args: [withoutVersion(installation.script)] };
}

/** True when a package manager installed this for one run (npx, dlx, bunx) and may remove it at any time. */
export function isTemporary({ script }: Installation): boolean {
  return /[\\/](?:_npx|dlx(?:-\d+)?|bunx-[^\\/]*)[\\/]/u.test(script);
}

/** Prefers the `node` on `PATH` if it is this Node: its real path may contain the version. */
function stableNode({ node }: Installation, surroundings: Surroundings): string {
  const onPath = findProgram("node", surroundings);
  return onPath !== undefined && realPath(onPath) === realPath(node) ? onPath : node;
}

/** Returns the path by pnpm's link, because the real folder has the version in its name. */
function withoutVersion(script: string): string {
  const [, root, inside] = /^(.*[\\/]node_modules[\\/])\.pnpm[\\/][^\\/]+[\\/]node_modules[\\/](.*)$/u.exec(script) ?? [];
  const linked = root === undefined || inside === undefined ? undefined : path.join(root, inside);
  return linked !== undefined && realPath(linked) === realPath(script) ? linked : script;
}

function realPath(file: string): string | undefined {
  return fs.existsSync(file) ? fs.realpathSync(file) : undefined;
}
