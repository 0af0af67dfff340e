import path from "node:path";
import { BackupDirectory } from "@workrail/blob-files";
import { parseSessionId } from "@workrail/core";
import { checkPlace } from "../check-params.ts";
import { keepConversation } from "../conversations.ts";
import { findPushed, takePushed } from "../take-pushed.ts";
import { takeSaves } from "../take-saves.ts";
import type { Store } from "../store.ts";
import type { ImportTextResult } from "../transfer.ts";
import type { Transfers } from "../workrail.ts";
import { type Facet, OPTIONS, PARAMS } from "./operation.ts";

/** Copies data out of a store and into it. */
export const transfers: Facet<Transfers> = {
  exportSession: {
    remote: "here",
    needs: "whole session",
    changes: true,
    params: OPTIONS,
    async run(store, sessionId, options) {
      const session = parseSessionId(sessionId);
      store.parts.sealing.checkPlaintextFiles();
      return (await store.transfer()).exportSession(session, options);
    },
  },
  exportText: {
    needs: "whole session",
    params: OPTIONS,
    runs: "stream",
    async *run(store, sessionId, options = {}) {
      const session = parseSessionId(sessionId);
      yield* (await store.transfer()).exportText(session, options);
    },
  },
  exportAll: {
    remote: "here",
    wholeStore: true,
    needs: "whole store",
    changes: true,
    params: OPTIONS,
    async run(store, folder, options) {
      if (folder !== undefined) checkPlace(folder, "folder");
      store.parts.sealing.checkPlaintextFiles();
      return (await store.transfer()).exportAll(folder, options);
    },
  },
  importFile: {
    remote: "here",
    wholeStore: true,
    needs: "disk",
    changes: "unless dry run",
    params: OPTIONS,
    async run(store, file, options = {}) {
      checkPlace(file, "file");
      return imported(store, await (await store.transfer()).importFile(file, options));
    },
  },
  importText: {
    wholeStore: true,
    needs: "disk",
    changes: "unless dry run",
    params: OPTIONS,
    // The text can be read only once.
    runs: "once",
    run: async (store, text, options = {}) => imported(store, await (await store.transfer()).importText(text, options)),
  },
  findPushed: { wholeStore: true, needs: "disk", params: PARAMS, run: findPushed },
  takePushed: { wholeStore: true, needs: "disk", changes: true, remote: "repeatable", params: PARAMS, run: takePushed },
  takeSaves: { wholeStore: true, needs: "disk", changes: true, remote: "repeatable", params: PARAMS, run: takeSaves },
  storeConversation: {
    remote: "here",
    needs: "read",
    changes: true,
    params: PARAMS,
    runs: "once",
    run({ parts }, params) {
      return keepConversation({ ...parts, service: this }, params);
    },
  },
  backup: {
    remote: "at the node",
    wholeStore: true,
    needs: "whole store",
    changes: true,
    params: OPTIONS,
    async run({ parts, savePorts, dataDir }, directory, options) {
      checkPlace(directory, "directory");
      const place = path.resolve(directory);
      const target = await parts.sealing.protect(await BackupDirectory.create({ directory: place, dataDir }));
      const { backupStore } = await import("../on-demand/transferring.ts");
      const { createdAt, ...report } = await backupStore(savePorts, target, options);
      return { directory: place, createdAt: createdAt.toISOString(), ...report };
    },
  },
};

function imported<R extends ImportTextResult>({ compactor }: Store, result: R): R {
  if (result.added > 0 && !result.dryRun) compactor.request(result.sessionId);
  return result;
}
