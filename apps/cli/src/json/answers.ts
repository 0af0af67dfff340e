import * as results from "@workrail/schemas";
import * as z from "zod";
import { IMPORT } from "./import.ts";
import { SETUP } from "./setup.ts";

const place = {
  file: z.string().describe("path of `config.json`"),
  hasFile: z.boolean().describe("whether it exists"),
};

const trashed = results.metadataWith({
  trashedAt: z.iso.datetime({ precision: 3 }).describe("time of the removal"),
});

/**
 * Schema of each command's output with `--json`, by the command's full name. Source of the tables in `docs/reference/cli.md`, and checked
 * by the golden tests; the program itself does not load it.
 */
export const ANSWERS: Readonly<Record<string, z.ZodType>> = {
  save: results.SAVE_RESULT,
  load: results.CONTEXT,
  show: z.strictObject({ metadata: results.METADATA, context: results.CONTEXT }),
  list: results.FIND_RESULT,
  search: results.SEARCH_RESULT,
  resume: z.union([results.RESUMED_WORK, results.RESUME_CANDIDATES]),
  handoff: results.HANDOFF_RESULT,
  sessions: results.SESSIONS_RESULT,
  log: results.TRACE_RESULT,
  diff: results.COMPARE_RESULT,
  ui: z.union([
    z.strictObject({
      url: z.string().describe("the link, which works once"),
      write: z.boolean().describe("whether the page may change the store"),
    }),
    z.strictObject({
      file: z.string().describe("the written file"),
      sizeBytes: z.int().describe("its size"),
      checkpoints: z.int().describe("checkpoints in the page, the newest"),
      total: z.int().describe("checkpoints of the session"),
    }),
  ]),
  tag: results.SESSION,
  pin: results.MARK_RESULT,
  unpin: results.MARK_RESULT,
  keep: results.SESSION,
  compress: results.SHAPE_RESULT,
  prioritize: results.SHAPE_RESULT,
  stats: z.union([results.STORE_STATS, results.SAVINGS]),
  export: z.union([results.EXPORT_RESULT, results.EXPORT_ALL_RESULT, z.looseObject({ format: z.string() })]),
  import: IMPORT,
  delete: z.union([results.CLEAN_UP_REPORT, results.ERASE_RESULT]),
  cleanup: results.CLEAN_UP_REPORT,
  "trash list": z.strictObject({ entries: z.array(trashed).describe("the oldest removal first: [metadata](#metadata), and") }),
  "trash restore": results.FROM_TRASH_RESULT,
  "trash empty": results.CLEAN_UP_REPORT,
  backup: results.BACKUP_RESULT,
  restore: results.RESTORE_RESULT,
  copy: results.COPY_STORE_RESULT,
  sync: results.SYNC_STORE_RESULT,
  migrate: results.MIGRATE_STORE_RESULT,
  upkeep: z.union([
    results.UPKEEP_REPORT,
    z.strictObject({
      tenants: z
        .array(z.strictObject({ tenant: z.string().describe("the tenant"), report: z.looseObject({}).describe("as above") }))
        .describe("with `--all-tenants`: each tenant whose work did not fail"),
    }),
  ]),
  status: results.STORE_STATUS,
  verify: results.VERIFY_REPORT,
  "audit list": results.AUDIT_LOG_RESULT,
  "audit verify": results.VERIFY_AUDIT_LOG_RESULT,
  "audit export": results.WRITTEN_FILE,
  repair: results.REPAIR_REPORT,
  rebuild: results.REBUILD_REPORT,
  scan: results.SCAN_REPORT,
  encrypt: results.SEAL_RESULT,
  rekey: results.REKEY_RESULT,
  doctor: results.DOCTOR_REPORT,
  "config list": z.strictObject({
    ...place,
    settings: z.array(results.SETTING).describe("all settings"),
    issues: z.array(results.CONFIGURATION_ISSUE).describe("faults"),
  }),
  "config get": results.SETTING,
  "config set": results.CHANGED_SETTING,
  "config unset": results.CHANGED_SETTING,
  "config path": z.strictObject(place),
  "config schema": z.looseObject({ $schema: z.string() }),
  completion: z.strictObject({ shell: z.string().describe("the shell"), script: z.string().describe("the script for the shell") }),
  setup: SETUP,
};
