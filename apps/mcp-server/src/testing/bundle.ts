import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { bundleOnce } from "@workrail/programs";
import config from "../../rolldown.config.ts";

const APP = fileURLToPath(new URL("../..", import.meta.url));

export const BUNDLE_VERSION = "4.5.6";

/**
 * Bundles the server as it would be published, unless these sources are bundled already. Resolves to the directory `dist`, with its own
 * package.json beside it. Test files may call this concurrently.
 */
export async function bundleServer(): Promise<string> {
  const manifest = JSON.stringify({ type: "module", version: BUNDLE_VERSION });
  return bundleOnce({ app: APP, config, furnish: (home) => writeFileSync(join(home, "package.json"), manifest) });
}
