import type { AuditAction } from "../model/audit.ts";
import type { Move } from "../ports/catalog.ts";

const ACTIONS: Readonly<Record<Move["to"], AuditAction>> = { trash: "trash", live: "restore", nowhere: "delete" };

/** Returns the audit action of a move to a place. */
export function actionOfMove({ to }: Pick<Move, "to">): AuditAction {
  return ACTIONS[to];
}
