import type { CatalogPort } from "@workrail/core";
import { workrailOver } from "../src/facade.ts";
import { openStore, type StorePlan } from "../src/open-store.ts";
import type { Workrail } from "../src/workrail.ts";

/** The library's object, with its catalog for tests that look into it. */
export type OpenedStore = Workrail & { readonly catalog: CatalogPort };

export async function openedStore(plan: StorePlan): Promise<OpenedStore> {
  const store = await openStore(plan);
  return Object.assign(workrailOver(store), { catalog: store.parts.catalog });
}
