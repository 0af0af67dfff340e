import path from "node:path";
import type { SessionId } from "@workrail/core";
import type { ExportProgress, UnreadableInExport } from "@workrail/transfer";
import type { AuditLogFilter } from "../audit-log.ts";
import { checkPlace } from "../check-params.ts";
import type { FindCheckpointsResult } from "../context-management-service.ts";
import type { ListSessionsResult } from "../overview.ts";
import type {
  ExportAllOptions,
  ExportAllResult,
  ExportResult,
  ExportSessionOptions,
  ImportFileOptions,
  ImportFileResult,
  ImportTextResult,
} from "../transfer.ts";
import { writeNewFile, type WrittenFile } from "../write-new-file.ts";

/** Sends calls to a node. */
export interface Asks {
  readonly ask: (name: string, ...args: readonly unknown[]) => Promise<unknown>;
  readonly stream: (name: string, ...args: readonly unknown[]) => AsyncGenerator;
}

/** Operations with files of this machine, made of operations that the node does. */
export type InProgram = Readonly<
  Record<"exportSession" | "exportAll" | "exportAuditLog" | "importFile", (...args: readonly never[]) => Promise<unknown>>
>;

const transferring = () => import("../on-demand/transferring.ts");
const PAGE = 100;

/** Makes these operations over a node. */
export function inProgram({ ask, stream }: Asks): Readonly<Record<keyof InProgram, (...args: readonly unknown[]) => Promise<unknown>>> {
  const namesFor = async (sessionId: string, folder: string): Promise<Iterable<string>> => {
    const { makeFolder, namesIn, stemOf, stemOfSession } = await transferring();
    const { checkpoints } = (await ask("findCheckpoints", { sessionId, limit: PAGE })) as FindCheckpointsResult;
    const stem = checkpoints.map(({ workflowId }) => stemOf(workflowId ?? "")).find((each) => each !== "");
    return namesIn(makeFolder(path.resolve(folder)), stem ?? stemOfSession(sessionId as SessionId), new Date());
  };
  const write = async (sessionId: string, names: Iterable<string>, { onProgress, signal }: ExportAllOptions): Promise<ExportResult> => {
    const { until } = await transferring();
    const unreadable: UnreadableInExport[] = [];
    const onUnreadable = (each: UnreadableInExport): void => void unreadable.push(each);
    const text = stream("exportText", sessionId, { onUnreadable, onProgress, signal }) as AsyncGenerator<string>;
    return { sessionId, ...(await writeNewFile(names, until(signal, text))), unreadable };
  };
  const exportSession = async (sessionId: string, { file, ...watch }: ExportSessionOptions = {}): Promise<ExportResult> => {
    const { isFolder, placeMissing } = await transferring();
    if (file === undefined) throw placeMissing();
    return write(sessionId, (await isFolder(file)) ? await namesFor(sessionId, file) : [path.resolve(file)], watch);
  };
  const exportAll = async (folder?: string, { onProgress, signal }: ExportAllOptions = {}): Promise<ExportAllResult> => {
    if (folder === undefined) throw (await transferring()).placeMissing();
    checkPlace(folder, "folder");
    const sessions: ListSessionsResult["sessions"] = [];
    for (let total = PAGE; sessions.length < total;) {
      const page = (await ask("listSessions", { project: null, limit: PAGE, offset: sessions.length })) as ListSessionsResult;
      sessions.push(...page.sessions);
      total = page.sessions.length === 0 ? 0 : page.total;
    }
    const total = sessions.reduce((sum, { checkpointCount }) => sum + checkpointCount, 0);
    const exports: ExportResult[] = [];
    let before = 0;
    for (const { id, checkpointCount } of sessions) {
      const tell = onProgress && (({ done }: ExportProgress) => onProgress({ done: Math.min(before + done, total), total }));
      exports.push(await write(id, await namesFor(id, folder), { onProgress: tell, signal }));
      before += checkpointCount;
    }
    return { folder: path.resolve(folder), exports };
  };
  const exportAuditLog = async (file: string, filter?: AuditLogFilter): Promise<WrittenFile> => {
    checkPlace(file, "file");
    return writeNewFile([path.resolve(file)], stream("auditText", filter) as AsyncGenerator<string>);
  };
  const importFile = async (given: string, { onProgress, ...how }: ImportFileOptions = {}): Promise<ImportFileResult> => {
    checkPlace(given, "file");
    const file = path.resolve(given);
    const { inFile, readTextFile } = await transferring();
    try {
      const text = readTextFile(file, onProgress && ((counts) => onProgress({ phase: "prove", ...counts })));
      return { file, ...((await ask("importText", text, how)) as ImportTextResult) };
    } catch (error) {
      throw inFile(file, error);
    }
  };
  return { exportSession, exportAll, exportAuditLog, importFile } as never;
}
