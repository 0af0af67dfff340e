import { cp, symlink } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { bundleOnce } from "@workrail/programs";
import cliConfig from "../../../apps/cli/rolldown.config.ts";
import { bundleServer } from "../../../apps/mcp-server/src/testing/bundle.ts";

const APPS = fileURLToPath(new URL("../../../apps", import.meta.url));

/** Bundles the command line and the server, and puts them side by side into a folder as npm does. Resolves to the path of `workrail.mjs`. */
export async function installProduct(folder: string): Promise<string> {
  const cli = await bundleOnce({ app: join(APPS, "cli"), config: cliConfig });
  const server = await bundleServer();
  await cp(cli, join(folder, "cli", "dist"), { recursive: true });
  await cp(dirname(server), join(folder, "mcp-server"), { recursive: true });
  // Packages that are not bundled.
  await symlink(join(APPS, "mcp-server", "node_modules"), join(folder, "node_modules"), "junction");
  return join(folder, "cli", "dist", "workrail.mjs");
}
