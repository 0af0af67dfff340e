import { expect, it } from "vitest";
import type { LoggedEvent } from "../model/audit.ts";
import type { CheckpointId, SessionId } from "../model/ids.ts";
import type { AuditQuery } from "./reads.ts";
import { queryAudit } from "./matching-rows.ts";

/** Rows 3 to 8, one a second. */
const LOG = Array.from({ length: 6 }, (_, index): LoggedEvent => ({
  number: index + 3,
  at: new Date(index * 1_000),
  action: index % 2 === 0 ? "export" : "load",
  sessionId: (index < 3 ? "one" : "other") as SessionId,
  checkpointId: index === 4 ? ("c" as CheckpointId) : undefined,
  agentId: undefined,
  digest: undefined,
}));

it.each<[AuditQuery, readonly number[]]>([
  [{}, [8, 7, 6, 5, 4, 3]],
  [{ limit: 2 }, [8, 7]],
  [{ first: "oldest", limit: 2 }, [3, 4]],
  [{ first: "oldest", after: 4, limit: 2 }, [5, 6]],
  [{ first: "oldest", after: 1 }, [3, 4, 5, 6, 7, 8]],
  [{ after: 5 }, [4, 3]],
  [{ after: 99 }, [8, 7, 6, 5, 4, 3]],
  [{ after: 3 }, []],
  [{ actions: ["export"] }, [7, 5, 3]],
  [{ actions: ["export", "load"], sessionId: "one" as SessionId }, [5, 4, 3]],
  [{ actions: [] }, []],
  [{ checkpointIds: ["c", "d"] as CheckpointId[] }, [7]],
  [{ checkpointIds: [] }, []],
  [{ since: new Date(1_000), until: new Date(3_000) }, [6, 5, 4]],
  [{ actions: ["export"], at: new Date(2_000) }, [5]],
])("selects the rows of %j", (query, numbers) => {
  expect(queryAudit(LOG, query).map(({ number }) => number)).toEqual(numbers);
});
