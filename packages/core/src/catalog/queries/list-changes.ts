import { changePage, changeRows } from "../../audit/audit-reads.ts";
import type { ChangePage, ChangeQuery } from "../../ports/catalog.ts";
import type { CatalogPort } from "../catalog-port.ts";

/** Lists the sessions changed since a position; `undefined` when the position does not belong to this catalog. */
export async function listChanges(catalog: CatalogPort, query: ChangeQuery): Promise<ChangePage | undefined> {
  const { rows } = await catalog.read({ rows: { of: "audit", query: changeRows(query) } });
  return changePage(() => rows, query);
}
