import fs from "node:fs";
import path from "node:path";
import { DATABASE, JOURNAL } from "@workrail/blob-files";
import { commit, FAILED, isWorkrailError, runFinally, type WorkrailError } from "@workrail/core";
import { type Adapters, openDefaultStorage } from "../container.ts";
import { silentLog } from "../environment.ts";
import { conversionPorts } from "../sealing/conversion-ports.ts";
import { protectStorage } from "../sealing/protect-storage.ts";
import { readSettings, type Settings } from "../settings.ts";
import { readConfigFile } from "./config-file.ts";
import { type ConfigurationSources, readConfiguration } from "./read-configuration.ts";
import { type ChangedSetting, checkSetting, setSetting } from "./set-setting.ts";

export interface LoggedSetting extends ChangedSetting {
  /** True when the audit log of the store records the change. Without a store there is no log. */
  readonly isLogged: boolean;
  /** Why the change is not logged although there is a store. */
  readonly notLogged?: WorkrailError | undefined;
}

/** Sets one setting, as `changeSetting` of the library describes. */
export async function changeSetting(
  { adapters, ...sources }: ConfigurationSources & { readonly adapters?: Adapters | undefined },
  name: string,
  text: string | undefined,
): Promise<LoggedSetting> {
  const { name: known } = checkSetting(name, text);
  const { dataDir, file } = readConfiguration(sources);
  if (![DATABASE, JOURNAL].some((file) => fs.existsSync(path.join(dataDir, file)))) {
    return { ...setSetting(sources, name, text), isLogged: false };
  }
  const logIt = (reason: string): Promise<WorkrailError | undefined> =>
    logChange(sources, reason, adapters).catch((error: unknown) => {
      if (isWorkrailError(error)) return error;
      throw error;
    });
  const notLogged = await logIt(known);
  const before = readConfigFile(file);
  try {
    return { ...setSetting(sources, name, text), isLogged: notLogged === undefined, ...(notLogged === undefined ? {} : { notLogged }) };
  } catch (error) {
    if (notLogged === undefined && readConfigFile(file).text === before.text) await logIt(`${known}, ${FAILED}`);
    throw error;
  }
}

async function logChange({ env, ...given }: ConfigurationSources, reason: string, adapters: Adapters = {}): Promise<undefined> {
  const settings = readSettings(env, given);
  const { log = silentLog } = adapters;
  const storage = await (adapters.storage ?? openDefaultStorage)(settings, log);
  const write = async (): Promise<void> => {
    const ports = conversionPorts(adapters, settings, storage);
    const { catalog, locking } = (await protectStorage(storage, asItIs(settings), { ...ports, log })).storage;
    const event = {
      at: ports.clock.now(),
      action: "configure",
      sessionId: undefined,
      checkpointId: undefined,
      agentId: undefined,
    } as const;
    await locking.shared(() => catalog.change(commit({ audit: [{ ...event, reason }] })));
  };
  await runFinally(write, () => storage.close());
}

/** Drops `encryption`, so that opening the store to log the change does not seal it. */
function asItIs({ sealing }: Settings): Settings["sealing"] {
  return { ...sealing, encryption: undefined };
}
