// Puts items beside other processes. Arguments: the directory of the store, a name, and the number of items.
import process from "node:process";
import { openWorkrail } from "@workrail/runtime";
import { WorkrailStore } from "../src/index.ts";

const [dataDir = "", name = "", count = "0"] = process.argv.slice(2);
await using workrail = await openWorkrail({ dataDir, env: {}, project: null });
const store = new WorkrailStore(workrail);
for (let at = 0; at < Number(count); at++) {
  await store.put(["own", name], String(at), { at });
  await store.put(["shared"], "contested", { name, at });
  await store.put(["shared"], "gone", { name, at });
  await store.delete(["shared"], "gone");
}
