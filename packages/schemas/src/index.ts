// The words of these schemas are those of docs/reference. Programs that start often must not load them: zod takes long.
export { COMPARE_RESULT } from "./comparing.ts";
export type { ResultSchema } from "./fields.ts";
export { FIND_RESULT } from "./listing.ts";
export { HANDOFF_RESULT, SEARCH_RESULT, SESSIONS_RESULT, TRACE_RESULT } from "./overview.ts";
export { CANDIDATE, DRIFT, RESUME_CANDIDATES, RESUMED_WORK, CHANGE_FIELDS } from "./resuming.ts";
export { PATCHED, SAVE_RESULT } from "./saving.ts";
export { CONTEXT, METADATA, metadataWith, ORIGIN, REPORT, REPORTED_ENTRY, SECRETS, SESSION } from "./shapes.ts";
export { MARK_RESULT, SHAPE_RESULT } from "./shaping.ts";
export { STORE_STATUS } from "./status.ts";
export {
  AUDIT_LOG_RESULT,
  BACKUP_RESULT,
  CHANGED_SETTING,
  CLEAN_UP_REPORT,
  CONFIGURATION_ISSUE,
  DOCTOR_REPORT,
  ERASE_RESULT,
  EXPORT_ALL_RESULT,
  EXPORT_RESULT,
  FROM_TRASH_RESULT,
  IMPORT_FILE_RESULT,
  REBUILD_REPORT,
  REKEY_RESULT,
  REPAIR_REPORT,
  COPY_STORE_RESULT,
  SYNC_STORE_RESULT,
  UPKEEP_REPORT,
  MIGRATE_STORE_RESULT,
  RESTORE_RESULT,
  SAVINGS,
  SCAN_REPORT,
  SEAL_RESULT,
  SETTING,
  STORE_STATS,
  VERIFY_AUDIT_LOG_RESULT,
  VERIFY_REPORT,
  WRITTEN_FILE,
} from "./stores.ts";
