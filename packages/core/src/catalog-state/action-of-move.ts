import type { AuditAction } from "../model/audit.ts";
import type { Move } from "../ports/catalog.ts";

const ACTIONS: Readonly<Record<Move["to"], AuditAction>> = { trash: "trash", live: "restore", nowhere: "delete" };

/** What the audit log calls it when a checkpoint is moved there. */
export function actionOfMove({ to }: Pick<Move, "to">): AuditAction {
  return ACTIONS[to];
}
