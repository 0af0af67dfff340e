import type { Workrail } from "../workrail.ts";
import { removeOld } from "../hooks/forget-sessions.ts";
import { wire } from "../container.ts";
import { workrailOver } from "../facade.ts";
import { openNothing } from "../missing-store.ts";
import type { StorePlan } from "../open-store.ts";
import { Store } from "../store.ts";
import { Connection } from "./connection.ts";
import { NodeRoute } from "./node-route.ts";

/**
 * Opens a node's store and sends it the saves that hooks left on this machine. Sends nothing else before the first call. The node's
 * sealing, limits and clean-up apply.
 */
export async function openNode(
  { settings, adapters, project, upkeep = true, takeIncoming = true }: StorePlan,
  url: string,
): Promise<Workrail> {
  const sealing = { ...settings.sealing, encryption: undefined };
  const parts = await wire({ ...settings, sealing }, { ...adapters, storage: openNothing });
  const here = new Store(parts, project, { takesIncoming: false });
  const route = new NodeRoute(here, new Connection(url, settings.storeToken));
  if (takeIncoming) await route.takeIncoming();
  if (upkeep && !settings.readOnly) {
    parts.background.run("remove old files of hooks", async () => removeOld(settings.dataDir, parts.clock));
  }
  return workrailOver(route);
}
