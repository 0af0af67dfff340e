import { existsSync } from "node:fs";
import path from "node:path";
import { deserialize, serialize } from "node:v8";
import { answered, type BlobRef, type CatalogPort, decided, MemoryTables, type RecoveryPort, SerialQueue } from "@workrail/core";
import { attempt, type Files, writeDurably } from "./durable-file.ts";

/** Keeps the rows in memory and in one file. Each change replaces the file, which is atomic and durable, and so is the change. */
export function folderCatalog(files: Files, folder: string): CatalogPort & RecoveryPort {
  const file = path.join(folder, "catalog");
  const hasBlob = (ref: BlobRef): boolean => existsSync(path.join(folder, ref));
  const turns = new SerialQueue();
  /** Absent before the first use, and after a failed write: the file has the old rows or the new ones. */
  let durable: MemoryTables | undefined;
  async function write(tables: MemoryTables): Promise<MemoryTables> {
    durable = undefined;
    await attempt(() => writeDurably(files, file, { bytes: serialize(tables.content), mode: "replace" }), undefined, {
      outcome: "unknown",
    });
    return (durable = tables);
  }
  /** Rewrites the files that it reads, which makes them durable. */
  async function reread(): Promise<MemoryTables> {
    const bytes = await attempt(() => files.readFile(file), "ENOENT");
    return write(new MemoryTables(hasBlob, bytes && deserialize(bytes)));
  }
  const current = async (): Promise<MemoryTables> => durable ?? turns.run(async () => durable ?? reread());
  return {
    read: (reads) => current().then((tables) => structuredClone(answered(reads, (read) => tables.answer(read)))),
    change: (rule) =>
      turns.run(async () => {
        const tables = durable ?? (await reread());
        const decision = decided(rule, { answer: (read) => tables.answer(read), keepsFacts: true });
        if ((await decision.blobs?.()) === false) return decision.withdrawn as never;
        const next = new MemoryTables(hasBlob, tables.content);
        next.apply(decision);
        if (decision.rows.length + decision.audit.length > 0) await write(next);
        return structuredClone(decision.outcome);
      }),
    async state() {
      const hasBlobs = (await attempt(() => files.readdir(folder)))?.some((name) => name.endsWith(".blob")) === true;
      return (await current()).isPristine && hasBlobs ? "lost" : "sound";
    },
    async *sessionFacts() {
      yield* structuredClone((await current()).sessionFacts);
    },
    replaceAll: ({ rows, audit }) => turns.run(async () => void (await write(new MemoryTables(hasBlob, { rows, audit, lastCommit: 0 })))),
  };
}
