import { checkPlace } from "../check-params.ts";
import { auditText, exportAuditLog, listAuditLog, verifyAuditLog } from "../audit-log.ts";
import type { Audit } from "../workrail.ts";
import { type Facet, MAYBE_PARAMS } from "./operation.ts";

/** Reads and proves the audit log. */
export const audit: Facet<Audit> = {
  auditLog: { wholeStore: true, needs: "disk", params: MAYBE_PARAMS, run: ({ parts }, params) => listAuditLog(parts, params) },
  auditText: {
    wholeStore: true,
    needs: "disk",
    params: { at: 0, isOptional: true, called: "filter" },
    runs: "stream",
    run: ({ parts }, filter) => auditText(parts, filter),
  },
  exportAuditLog: {
    remote: "here",
    wholeStore: true,
    needs: "disk",
    changes: true,
    params: { at: 1, isOptional: true, called: "filter" },
    async run({ parts }, file, filter) {
      checkPlace(file, "file");
      parts.sealing.checkPlaintextFiles();
      return exportAuditLog(parts, file, filter);
    },
  },
  verifyAuditLog: { wholeStore: true, needs: "disk", params: MAYBE_PARAMS, run: ({ parts }, params) => verifyAuditLog(parts, params) },
};
