import { spawn } from "node:child_process";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { storageInUse, tally } from "@workrail/storage-conformance/harness";
import { expect, it } from "vitest";
import { harness, testServer } from "./s3-harness.ts";

const CHILD = fileURLToPath(new URL("child-save.ts", import.meta.url));
const HOUR = 3_600_000;

/** Requests of the child: the marker of the store, and an object for each save. */
it.each([
  [1, "before", "drop"],
  [1, "after", "drop-after"],
  [2, "before", "drop"],
  [2, "after", "drop-after"],
  [3, "after", "drop-after"],
] as const)("a process killed at request %i, %s its effect, leaves no row without a blob", async (at, _, fault) => {
  const server = await testServer();
  const place = await harness.create();
  try {
    const child = spawn(process.execPath, ["--conditions=@workrail/source", CHILD, place], { stdio: ["ignore", "pipe", "inherit"] });
    let requests = 0;
    server.fault = () => {
      requests += 1;
      if (requests < at) return undefined;
      child.kill("SIGKILL");
      return fault;
    };
    const ended = new Promise<NodeJS.Signals | null>((resolve) => child.once("close", (__, signal) => resolve(signal)));
    const acknowledged = (await text(child.stdout)).split("\n").filter(Boolean);
    expect([await ended, acknowledged.length]).toEqual(["SIGKILL", Math.max(0, at - 2)]);
    const storage = storageInUse(await harness.open(place));
    server.objects.age(2 * HOUR);
    await storage.blobs.removeAbandoned();
    const { records } = await storage.catalog.list({ filter: {}, limit: 10, offset: 0 });
    expect(records.map(({ id }) => String(id))).toEqual(acknowledged);
    for (const { id, blob } of records) expect(new TextDecoder().decode(await storage.blobs.get(blob))).toBe(`blob of ${id}`);
    const { prefix } = JSON.parse(place) as { readonly prefix: string };
    expect(server.objects.list(prefix).filter(([key]) => key.includes("/blobs/"))).toHaveLength(records.length);
    tally({ tries: 1, acknowledged: acknowledged.length, lost: 0, dangling: 0 });
    await storage.close();
  } finally {
    await harness.destroy(place);
  }
});
