import type { CatalogPort } from "../../catalog/catalog-port.ts";
import { ALL } from "../../catalog/reads.ts";
import { changed } from "../../catalog/rows.ts";
import { type Decision, mapped } from "../../catalog/rule.ts";
import type { AuditEvent } from "../../model/audit.ts";
import type { SessionId } from "../../model/ids.ts";
import { LABEL_LIMITS } from "../../model/limits.ts";
import { KEEP_TAG, type Session } from "../../model/session.ts";
import { exceedPinLimits } from "../sessions/pin-entry.ts";
import type { SavePorts } from "./save-input.ts";

/** Labels of a session. */
export type SessionLabels = Pick<Session, "tags" | "pins">;

/**
 * Returns ports with which a save also tags its session `keep`, in the same change: nothing of the session is ever pruned. An answer
 * `unchanged` does not change the session.
 */
export function keepingSession(ports: SavePorts, sessionId: SessionId): SavePorts {
  return labellingSession(ports, sessionId, { tags: [KEEP_TAG], pins: [] });
}

/** Like `keepingSession`, for any labels of a session. Leaves out labels beyond the limits of a session, but never the tag `keep`. */
export function labellingSession(ports: SavePorts, sessionId: SessionId, labels: SessionLabels): SavePorts {
  const { catalog, clock, limits } = ports;
  const labelling: CatalogPort = {
    read: (reads) => catalog.read(reads),
    change: (rule) => catalog.change(mapped(rule, (decision) => labelled(decision, sessionId, { labels, at: clock.now() }))),
  };
  const isKept = labels.tags.includes(KEEP_TAG);
  return { ...ports, catalog: labelling, limits: isKept ? { ...limits, maxCheckpoints: ALL } : limits };
}

interface Labelling {
  readonly labels: SessionLabels;
  readonly at: Date;
}

/** Only an append changes the row of the session. */
function labelled<Out>(decision: Decision<Out>, sessionId: SessionId, { labels, at }: Labelling): Decision<Out> {
  const { rows, audit, touched = [] } = decision;
  const row = rows.find((each) => each.table === "session" && each.now?.id === sessionId);
  if (row?.table !== "session" || row.now === undefined) return decision;
  const { tags, pins } = withLabels(row.now, labels);
  const [hasTags, hasPins] = [tags.length > row.now.tags.length, pins.length > row.now.pins.length];
  if (!hasTags && !hasPins) return decision;
  const reason = tags.includes(KEEP_TAG) && !row.now.tags.includes(KEEP_TAG) ? KEEP_TAG : "tags";
  const event = { at, sessionId, checkpointId: undefined, agentId: undefined };
  const told: AuditEvent[] = [
    ...(hasTags ? [{ ...event, action: "tag" as const, reason }] : []),
    ...(hasPins ? [{ ...event, action: "pin" as const }] : []),
  ];
  const now = changed("session", row.was, { ...row.now, tags, pins });
  return {
    ...decision,
    rows: rows.map((each) => (each === row ? now : each)),
    audit: [...audit, ...told],
    touched: [...touched, sessionId],
  };
}

function withLabels(session: SessionLabels, { tags, pins }: SessionLabels): SessionLabels {
  return {
    tags: added(session.tags, tags, (all) => all.length <= LABEL_LIMITS.tags || all.at(-1) === KEEP_TAG),
    pins: added(session.pins, pins, (all) => !exceedPinLimits(all)),
  };
}

function added(had: readonly string[], given: readonly string[], fits: (all: readonly string[]) => boolean): readonly string[] {
  return given.reduce((all, label) => (all.includes(label) || !fits([...all, label]) ? all : [...all, label]), had);
}
