import type { Workrail } from "@workrail/runtime";
import { describe, expect, it } from "vitest";
import { LazyStore } from "./lazy-store.ts";
import { createLog } from "./log.ts";
import { Tenants } from "./tenants.ts";

/** Stores that note when they are opened and closed. */
function scene(options: { readonly mostIdle?: number; readonly mostUsed?: number } = {}) {
  const events: string[] = [];
  const durabilities: Record<string, Workrail["durability"]> = {};
  const storeOf = (tenant: string): LazyStore =>
    new LazyStore(async () => {
      events.push(`open ${tenant}`);
      return {
        get durability() {
          return durabilities[tenant] ?? "disk";
        },
        takeIncoming: async () => 0,
        asCaller: () => ({ takeIncoming: async () => 0, whose: `${tenant} ${events.length}` }),
        close: async () => void events.push(`close ${tenant}`),
      } as unknown as Workrail;
    });
  const tenants = new Tenants({ storeOf, log: createLog("silent"), ...options });
  const request = async (tenant: string): Promise<() => void> => {
    const leave = tenants.use(tenant);
    await tenants.storeOf(tenant).get();
    return leave as () => void;
  };
  return { tenants, events, durabilities, request };
}

describe("the stores of tenants", () => {
  it("are opened once, and closed when many are idle, the last used at the end", async () => {
    const { events, request, tenants } = scene({ mostIdle: 1 });
    const leave = await request("a");
    for (const tenant of ["b", "c", "b"]) (await request(tenant))();
    leave();
    leave();
    (await request("c"))();
    expect(events).toEqual(["open a", "open b", "open c", "close a"]);
    await tenants.close();
    expect(events.slice(4)).toEqual(["close b", "close c"]);
  });

  it("are not closed while memory holds what could not be written", async () => {
    const { events, durabilities, request } = scene({ mostIdle: 0 });
    durabilities["a"] = "memory";
    for (const tenant of ["a", "b", "c"]) (await request(tenant))();
    expect(events.toSorted()).toEqual(["close b", "open a", "open b", "open c"]);
  });

  it("are refused when too many are in use", async () => {
    const { tenants, request } = scene({ mostUsed: 1 });
    const leave = await request("a");
    expect(tenants.use("b")).toBeUndefined();
    expect(tenants.use("a")).toBeDefined();
    leave();
    expect(tenants.use("b")).toBeUndefined();
  });

  it("are opened again for a caller's part that was made before they were closed", async () => {
    const { tenants } = scene();
    const part = tenants.storeOf("a").for({ projects: ["/web"] });
    const first = await part.get();
    expect(await part.get()).toBe(first);
    await tenants.close();
    expect(await part.get()).not.toBe(first);
  });
});
