// Entry point of a child process, which may be killed at any moment.
import type { Context } from "@workrail/core";
import type { StorageHarness } from "../harness.ts";
import { sha256 } from "../environment.ts";
import { Workbench } from "../workbench.ts";
import { type Assignment, KEPT_IN_PRUNED, type Message, type Task } from "./task.ts";
import { storageInUse, type StorageInUse } from "../storage-in-use.ts";

const { module, place, task } = JSON.parse(process.argv[2] ?? "") as Assignment;
const { harness } = (await import(module)) as { readonly harness?: StorageHarness };
if (harness === undefined) throw new Error(`${module} exports no harness.`);
const storage = storageInUse(await harness.open(place));
tell({ told: "open" });
await work(storage, task);
await storage.close();

async function work(storage: StorageInUse, task: Task): Promise<void> {
  switch (task.type) {
    case "save":
      return save(storage, task);
    case "rebuild":
      for (let count = 0; count < task.times; count++) {
        const { checkpoints } = await new Workbench(storage).rebuild();
        tell({ told: "rebuilt", checkpoints });
      }
      return undefined;
    case "hold":
      // Wait until the parent process closes the input.
      await new Promise((resolve) => process.stdin.on("end", resolve).resume());
  }
}

async function save(storage: StorageInUse, { sessionId, pruned, writer, saves }: Task & { type: "save" }): Promise<void> {
  const keepsAll = new Workbench(storage, { limits: { maxCheckpoints: Number.MAX_SAFE_INTEGER } });
  const keepsFew = new Workbench(storage, { limits: { maxCheckpoints: KEPT_IN_PRUNED } });
  for (let step = 0; step < saves; step++) {
    await saveAndTell(keepsAll, { sessionId, context: contextOf(writer, step) });
    if (pruned !== undefined) await saveAndTell(keepsFew, { sessionId: pruned, context: contextOf(writer, step) });
  }
  await keepsFew.idle();
}

async function saveAndTell(bench: Workbench, input: Parameters<Workbench["save"]>[0]): Promise<void> {
  const { record } = await bench.save({ ...input, force: true });
  const digest = sha256.sha256(JSON.stringify(input.context));
  tell({ told: "saved", sessionId: record.sessionId, id: record.id, sequence: record.sequence, digest });
}

/** Contexts of many sizes: some fit into one disk block, some take many. */
function contextOf(writer: string, step: number): Context {
  return { writer, step, pid: process.pid, filler: `${writer} ${step} `.repeat((step * 7919) % 4_000) };
}

function tell(message: Message): void {
  process.stdout.write(`${JSON.stringify(message)}\n`);
}
