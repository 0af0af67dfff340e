import type { CatalogPort } from "../../catalog/catalog-port.ts";
import { ALL } from "../../catalog/reads.ts";
import { changed } from "../../catalog/rows.ts";
import { type Decision, mapped } from "../../catalog/rule.ts";
import type { SessionId } from "../../model/ids.ts";
import { KEEP_TAG } from "../../model/session.ts";
import type { SavePorts } from "./save-input.ts";

/**
 * Returns ports with which a save also tags its session `keep`, in the same change: nothing of the session is ever pruned. An answer
 * `unchanged` does not change the session.
 */
export function keepingSession(ports: SavePorts, sessionId: SessionId): SavePorts {
  const { catalog, clock, limits } = ports;
  const keeping: CatalogPort = {
    read: (reads) => catalog.read(reads),
    change: (rule) => catalog.change(mapped(rule, (decision) => tagging(decision, sessionId, clock.now()))),
  };
  return { ...ports, catalog: keeping, limits: { ...limits, maxCheckpoints: ALL } };
}

/** Only an append changes the row of the session. */
function tagging<Out>(decision: Decision<Out>, sessionId: SessionId, at: Date): Decision<Out> {
  const { rows, audit, touched = [] } = decision;
  const row = rows.find((each) => each.table === "session" && each.now?.id === sessionId);
  if (row?.table !== "session" || row.now === undefined || row.now.tags.includes(KEEP_TAG)) return decision;
  const tagged = changed("session", row.was, { ...row.now, tags: [...row.now.tags, KEEP_TAG] });
  const told = { at, action: "tag", sessionId, checkpointId: undefined, agentId: undefined, reason: KEEP_TAG } as const;
  return {
    ...decision,
    rows: rows.map((each) => (each === row ? tagged : each)),
    audit: [...audit, told],
    touched: [...touched, sessionId],
  };
}
