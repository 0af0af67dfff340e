import type { SessionId } from "../../model/ids.ts";
import { changed } from "../rows.ts";
import { nothing, type Rule, rule } from "../rule.ts";

export interface Relabelling {
  readonly sessionId: SessionId;
  readonly labels: "tags" | "pins";
  readonly add: readonly string[];
  readonly remove: readonly string[];
}

/** Adds labels of a session behind the others, and removes labels. An unknown session is skipped. */
export function relabel({ sessionId, labels, add, remove }: Relabelling): Rule<undefined> {
  return rule({
    reads: { session: { of: "session", id: sessionId } } as const,
    decide({ session }) {
      if (session === undefined) return nothing(undefined);
      const now = [...new Set([...session[labels], ...add])].filter((label) => !remove.includes(label));
      return {
        outcome: undefined,
        rows: [changed("session", session, { ...session, [labels]: now })],
        audit: [],
        touched: [sessionId],
      };
    },
  });
}
