import { AUDIT_ACTIONS, JOBS } from "@workrail/core";
import type {
  AuditFinding,
  CleanUpReport,
  Finding,
  GarbageReport,
  RebuildReport,
  RepairReport,
  ScanReport,
  StoredSecret,
  VerifyReport,
} from "@workrail/core";
import type {
  AuditLogEntry,
  AuditLogResult,
  BackupResult,
  Configuration,
  ConfiguredSetting,
  SyncFork,
  SyncStoreResult,
  CopyStoreResult,
  DoctorFinding,
  DoctorReport,
  HostSavings,
  Savings,
  EraseResult,
  ExportAllResult,
  ExportResult,
  FromTrashResult,
  ImportFileResult,
  LoggedSetting,
  MigrateStoreResult,
  RestoreResult,
  SealResult,
  StoreStats,
  UpkeepReport,
  VerifyAuditLogResult,
  WrittenFile,
} from "@workrail/runtime";
import * as z from "zod";
import { count, figure, flag, listOf, mark, objectOf, oneOf, type ResultSchema, text, texts, time } from "./fields.ts";
import { DRY_RUN } from "./shapes.ts";

const isComplete = flag("`false`: it was interrupted");
const unreadableById = listOf(
  z.strictObject({ checkpointId: text("the checkpoint"), code: text("the [error](errors.md)") }),
  "checkpoints that could not be read",
);
const unreadableFiles = z.strictObject({ ref: text("the file"), code: text("the [error](errors.md)") });
const about = { sessionId: text("if it is about one").optional(), checkpointId: text("if it is about one").optional() };

const figures = {
  checkpoints: count("how many there are"),
  contextBytes: count("size of their contexts as JSON"),
  storedBytes: count("size of their files"),
  ratio: figure("`contextBytes` divided by `storedBytes`, if anything is stored").optional(),
  tokens: count("of the latest contexts, if they were counted and can be read").optional(),
};
const project = text("root of the project, if it has one").optional();

const checkpointOfSession = objectOf<EraseResult["erased"][number]>({
  checkpointId: text("the checkpoint"),
  sessionId: text("its session"),
});

export const ERASE_RESULT: ResultSchema<EraseResult> = objectOf<EraseResult>({
  dryRun: DRY_RUN,
  erased: listOf(checkpointOfSession, "the erased checkpoints, or those that would be"),
  spared: listOf(checkpointOfSession, "checkpoints tagged `keep`, which stay"),
  left: texts("remaining parts and the reasons, a sentence each; the next opening of the store removes them"),
  unreadable: texts("unreadable checkpoints that depended on erased ones: they were lost already"),
  copies: objectOf<EraseResult["copies"]>({
    backups: listOf(time("its time"), "backups of the store, the newest first"),
    exports: listOf(time("its time"), "exports of the sessions, the newest first"),
    exportFiles: texts("files in the data directory with their data"),
    quarantineFiles: texts("quarantined files of their other checkpoints, with unknown content"),
    replacedStores: texts("earlier stores in the data directory that a restore replaced"),
  }).describe("known copies, which are not erased"),
});

export const CLEAN_UP_REPORT: ResultSchema<CleanUpReport> = objectOf<CleanUpReport>({
  dryRun: DRY_RUN,
  removed: listOf(
    objectOf<CleanUpReport["removed"][number]>({
      sessionId: text("the session"),
      reason: oneOf(
        ["retention", "thinning", "aside-age", "quota", "disk-full", "trash-age", "trash-share", "manual"],
        "`retention`, `thinning`, `aside-age`, `quota`, `disk-full`, `trash-age` or `trash-share`, [each a row there](settings.md#automatic-removal); `manual`: requested",
      ),
      from: oneOf(["live", "trash"], "`live` or `trash`"),
      to: oneOf(["trash", "nowhere"], "`trash`, or `nowhere`: gone for good"),
      checkpointIds: texts("the checkpoints"),
      bytes: count("their size"),
    }),
    "removed checkpoints, or those that would be",
  ),
  spared: listOf(
    objectOf<CleanUpReport["spared"][number]>({
      sessionId: text("the session"),
      why: oneOf(["keep", "in-use", "handle"], "`keep`, `in-use` or `handle`"),
      checkpoints: count("how many"),
      bytes: count("their size"),
    }),
    "checkpoints that were due but stay",
  ),
  passedOver: texts("sessions that changed meanwhile and were skipped"),
  forgotten: texts("sessions [without checkpoints](settings.md#automatic-removal) that were removed; only without a selection"),
  left: texts("data that is not overwritten yet, and the reason; the next opening of the store continues"),
  bytesBefore: count("bytes of the store before, including the trash"),
  bytesAfter: count("bytes of the store now, or afterwards"),
}).meta({ id: "clean-up", description: "the result of a clean-up" });

const finding = objectOf<Finding>({
  kind: text("the fault, [one of these](#workrail-verify)"),
  ...about,
  ref: text("the file, if it is about one").optional(),
  reason: text("a sentence for people"),
}).meta({ id: "finding", description: "a fault" });

const read = {
  checkpoints: count("number of checked ones"),
  sessions: count("number of their sessions"),
  marked: count("checkpoints already marked as damaged"),
  orphans: texts("readable files without a checkpoint: mostly garbage"),
  isComplete,
};

const auditRow = objectOf<NonNullable<VerifyAuditLogResult["first"]>>({
  number: count("of the row"),
  at: time("when it was written"),
  action: oneOf(AUDIT_ACTIONS, "the action"),
}).meta({ id: "audit-row", description: "a row of the audit log" });

export const IMPORT_FILE_RESULT: ResultSchema<ImportFileResult> = objectOf<ImportFileResult>({
  file: text("absolute path of the file; `-`: standard input; of a source, the path as it was given or found"),
  dryRun: flag("whether nothing was written"),
  sessionId: text("the session in this store"),
  exportedSessionId: text("the session in the file; differs if it was renamed"),
  checkpoints: count("in the file"),
  added: count("number of added checkpoints"),
  present: count("number of existing checkpoints, unchanged"),
  leftOut: count("number of the others: the session here has continued, or had removed them"),
  unreadable: unreadableById.describe("checkpoints that the file only names, because they could not be read"),
  secrets: objectOf<NonNullable<ImportFileResult["secrets"]>>({
    action: oneOf(["warned", "redacted"], "the action taken"),
    count: count("how many there are"),
    checkpoints: count("in how many checkpoints"),
    found: listOf(
      z.strictObject({ rule: z.string(), path: z.string(), checkpointId: z.string() }),
      "the first: `rule`, `path` and `checkpointId`",
    ),
  })
    .optional()
    .describe("secrets in it"),
});

export const SETTING: ResultSchema<ConfiguredSetting> = objectOf<ConfiguredSetting>({
  name: text("its name in `config.json`"),
  value: z.unknown().optional().describe("the value in use; without one it is missing, or `null` for a single setting"),
  origin: oneOf(
    ["default", "file", "environment", "command line", "program"],
    "`default`, `file`, `environment`, `command line` or `program`",
  ),
  source: text("the file and line, the variable or the option").optional(),
}).meta({ id: "setting", description: "a setting with its value in use" });

export const CHANGED_SETTING: ResultSchema<Omit<LoggedSetting, "notLogged">> = objectOf<Omit<LoggedSetting, "notLogged">>({
  file: text("the file that was written"),
  name: text("the setting"),
  value: z.unknown().describe("the value in the file; `null`: none"),
  holds: SETTING.describe("the value in use: the environment and options override the file"),
  isLogged: flag(
    "whether the [audit log](audit-log.md) has a row for it; `false` without a store, and with a warning if the store cannot be opened",
  ),
}).meta({ id: "changed-setting", description: "a setting that was changed" });

const sealed = {
  dataDir: text("absolute path"),
  blobs: count("files of checkpoints in the new form"),
  removedCopies: texts("copies of the catalog from before a migration or a rebuild"),
  stillInClear: texts("unencrypted files in the data directory: quarantined, exported, or replaced"),
  underOldKey: texts("such files that only an older key opens; empty except after `workrail rekey --deep`"),
  unreadable: texts("files that could not be opened"),
};
export const CONFIGURATION_ISSUE: ResultSchema<Configuration["issues"][number]> = objectOf<Configuration["issues"][number]>({
  severity: oneOf(["error", "warning"], "`error` or `warning`"),
  message: text("faults"),
  hint: text("what to do").optional(),
  field: text("the setting, the variable or the option").optional(),
  file: text("the file, if any").optional(),
  line: count("the line").optional(),
  column: count("the column").optional(),
});

const resumes = {
  resumes: count("resume packs that hooks gave to models"),
  packTokensEstimated: count("tokens of the packs; an estimate"),
  transcriptTokensEstimated: count("tokens of the transcripts that the packs replace, as far as the log has them; an estimate"),
};

export const FROM_TRASH_RESULT: ResultSchema<FromTrashResult> = objectOf<FromTrashResult>({
  sessionId: text("the session"),
  checkpointIds: texts("the restored checkpoints"),
});

export const BACKUP_RESULT: ResultSchema<BackupResult> = objectOf<BackupResult>({
  directory: text("absolute path"),
  createdAt: time("its beginning"),
  checkpoints: count("number of verified ones"),
  trashed: count("the same in the trash"),
  sessions: count("number of their sessions"),
  unreadable: listOf(
    z.strictObject({ sessionId: text("the session"), checkpointId: text("the checkpoint"), code: text("the [error](errors.md)") }),
    "unreadable checkpoints",
  ),
  bytes: count("size of the checkpoints' files"),
  isComplete: flag("`false`: it was interrupted, and there is no backup"),
});

export const RESTORE_RESULT: ResultSchema<RestoreResult> = objectOf<RestoreResult>({
  dataDir: text("absolute path"),
  createdAt: time("time of the backup"),
  checkpoints: count("number in the store now"),
  trashed: count("the same in the trash"),
  sessions: count("number of their sessions"),
  unreadable: listOf(unreadableFiles, "files that the backup could not read; the exit code is then 14"),
  keptAside: text("absolute path of the replaced store; missing if there was none").optional(),
});

export const MIGRATE_STORE_RESULT: ResultSchema<MigrateStoreResult> = objectOf<MigrateStoreResult>({
  store: text("the URL of the database, without its password"),
  applied: texts("names of the migrations that were applied now"),
});

export const COPY_STORE_RESULT: ResultSchema<CopyStoreResult> = objectOf<CopyStoreResult>({
  from: text("the store that was copied"),
  to: text("the copy"),
  checkpoints: count("number of live ones"),
  trashed: count("number in the trash"),
  sessions: count("number of sessions"),
  auditRows: count("rows of the audit log"),
  blobs: count("files of checkpoints written now; the others are from an earlier copy"),
  bytes: count("their size"),
  missing: listOf(
    z.strictObject({ sessionId: text("the session"), checkpointId: text("the checkpoint") }),
    "checkpoints whose file is missing in the source, and so in the copy; the exit code is then 14",
  ),
  isComplete: flag("`false`: it was interrupted, and the same command continues"),
});

export const SYNC_STORE_RESULT: ResultSchema<SyncStoreResult> = objectOf<SyncStoreResult>({
  from: text("the store with the checkpoints"),
  to: text("the store that they were pushed to"),
  pushed: count("checkpoints that were written now"),
  present: count("checkpoints that the other store had"),
  removedThere: count("checkpoints that were removed there and stay removed"),
  forks: listOf(
    objectOf<SyncFork>({
      sessionId: text("the session"),
      checkpointId: text("the first checkpoint of the fork"),
      parentId: text("the checkpoint that it continues; `null` for a first one").nullable(),
      head: text("the session's latest checkpoint there before the sync"),
    }),
    "checkpoints pushed as a fork, because another program had continued the session there",
  ),
  renamed: listOf(
    z.strictObject({ sessionId: text("the session"), checkpointId: text("its id"), now: text("its id there") }),
    "checkpoints whose id is taken there",
  ),
  refused: listOf(
    z.strictObject({
      sessionId: text("the session"),
      checkpointId: text("the checkpoint"),
      code: text("the [error](errors.md)"),
      message: text("its message"),
    }),
    "checkpoints that could not be written; later ones of their sessions wait, and the exit code is 16",
  ),
  isComplete: flag("`false`: it was interrupted, and the same command continues"),
});

export const VERIFY_REPORT: ResultSchema<VerifyReport> = objectOf<VerifyReport>({ ...read, findings: listOf(finding, "faults") });

export const UPKEEP_REPORT: ResultSchema<UpkeepReport> = objectOf<UpkeepReport>({
  finishedRemovals: count("files of checkpoints that were removed earlier, and are deleted now"),
  left: texts("data not removed or erased yet, with the reason; the next run continues, and the exit code is 11"),
  cleanUp: CLEAN_UP_REPORT.optional().describe("as the settings say; missing if another process does it"),
  auditRows: count("rows of the audit log older than `auditDays`, removed"),
  compacted: z
    .strictObject({ checkpoints: count("how many"), savedBytes: count("bytes that they need less") })
    .optional()
    .describe("checkpoints that are stored smaller now; missing if another process does it"),
  indexed: z
    .strictObject({
      sessions: count("sessions that were indexed now"),
      pending: count("sessions that were not; the exit code is then 11"),
    })
    .optional()
    .describe("the index for search; missing if the store keeps none, or another process does it"),
  verified: VERIFY_REPORT.optional().describe("with `--verify`, the output of `workrail verify`; with faults the exit code is 14"),
  elsewhere: listOf(oneOf(JOBS, "the job"), "jobs that another process was doing, in a store that several machines share"),
  isComplete: flag("`false`: it was interrupted, and the same command continues"),
});

export const AUDIT_LOG_RESULT: ResultSchema<AuditLogResult> = objectOf<AuditLogResult>({
  entries: listOf(
    objectOf<AuditLogEntry>({
      number: count("of the row"),
      at: time("its time"),
      action: oneOf(AUDIT_ACTIONS, "[the action](audit-log.md#actions)"),
      sessionId: text("if it is about one").optional(),
      checkpointId: text("if it is about one").optional(),
      agentId: text("the agent, if known").optional(),
      subject: text("the token, or the subject of the JWT, of a caller over HTTP").optional(),
      reason: text("the reason, if the action needs one").optional(),
      digest: text("digest of the row and the one before; missing in rows older than the chain").optional(),
    }),
    "rows, the newest first",
  ),
  next: count("argument of `--before` for the next page; missing on the last page").optional(),
});

export const VERIFY_AUDIT_LOG_RESULT: ResultSchema<VerifyAuditLogResult> = objectOf<VerifyAuditLogResult>({
  rows: count("number of checked ones"),
  unchained: count("of these, rows older than the chain, which cannot be verified"),
  first: auditRow.optional().describe("the first row: `number`, `at` and `action`"),
  last: auditRow.optional().describe("the last row"),
  head: text("the last row in the form of `--expect`").optional(),
  isKeyed: flag("whether valid rows need the store's key"),
  findings: listOf(
    objectOf<AuditFinding & { readonly through?: number }>({
      kind: oneOf(["changed", "missing", "unchained", "cut-off", "not-as-noted"], "faults"),
      number: count("of the row"),
      through: count("the last missing row").optional(),
    }),
    "the first hundred faults: `kind`, `number`, and for missing rows `through`",
  ),
  findingCount: count("how many there are"),
  isComplete,
});

export const REPAIR_REPORT: ResultSchema<RepairReport> = objectOf<RepairReport>({
  ...read,
  repaired: listOf(finding, "repaired faults, or with `--dry-run` those that would be"),
  left: listOf(finding, "faults that remain"),
  advice: texts("further advice about them"),
  garbage: objectOf<GarbageReport>({
    blobs: count("removed files without a checkpoint"),
    quarantined: count("quarantined damaged files without a checkpoint"),
    unreadable: count("unreadable files and directories, unchanged").optional(),
    abandoned: count("removed unfinished files of dead processes"),
  })
    .optional()
    .describe("with `--collect-garbage`, if everything was read"),
});

export const REBUILD_REPORT: ResultSchema<RebuildReport> = objectOf<RebuildReport>({
  checkpoints: count("number in the catalog"),
  sessions: count("number of their sessions"),
  removedEarlier: count("removed earlier, and not restored although their files exist"),
  unreadable: listOf(unreadableFiles, "files that cannot be read"),
  notRebuilt: texts("lost data of the old catalog, which no file contains"),
});

export const SCAN_REPORT: ResultSchema<ScanReport> = objectOf<ScanReport>({
  checkpoints: count("number of checked ones"),
  found: listOf(
    objectOf<StoredSecret>({
      sessionId: text("the session"),
      checkpointId: text("the checkpoint"),
      rule: text("the [rule](secret-rules.md)"),
      path: text('where, such as `context["servers"][2]["url"]`'),
      times: count("number of occurrences"),
      inTrash: mark("the checkpoint is in the trash"),
    }),
    "secrets, the newest checkpoints of a session first",
  ),
  unreadable: texts("checkpoints that cannot be read"),
  isComplete,
});

export const SEAL_RESULT: ResultSchema<SealResult> = objectOf<SealResult>({
  ...sealed,
  recoveryKey: text("only if the store had none yet").optional(),
});

export const DOCTOR_REPORT: ResultSchema<DoctorReport> = objectOf<DoctorReport>({
  dataDir: text("the data directory"),
  findings: listOf(
    objectOf<DoctorFinding>({
      check: text("[one of these](#workrail-doctor)"),
      host: text("the agent of the finding, if there is one").optional(),
      status: oneOf(["ok", "warning", "error", "skipped"], "`ok`, `warning`, `error` or `skipped`"),
      message: text("a sentence for people"),
      hint: text("if there is something to do").optional(),
      code: text("of an error, [its code](errors.md)").optional(),
      fix: oneOf(["possible", "done"], "whether `--fix` can correct it, or has").optional(),
    }),
    "of each check",
  ),
  isHealthy: flag("whether no check is an error"),
});

export const STORE_STATS: ResultSchema<StoreStats> = objectOf<StoreStats>({
  total: objectOf<StoreStats["total"]>({ sessions: count("how many there are"), ...figures }).describe("totals"),
  projects: listOf(
    objectOf<StoreStats["projects"][number]>({ project, sessions: count("how many there are"), ...figures }),
    "the same for each project",
  ),
  sessions: listOf(
    objectOf<StoreStats["sessions"][number]>({
      sessionId: text("the session"),
      project,
      lastAccessedAt: time("time of its last save or load"),
      ...figures,
    }),
    "the same for each session",
  ),
});

export const SAVINGS: ResultSchema<Savings> = objectOf<Savings>({
  since: time("begin of the counted period"),
  logSince: time("the oldest run in the log of the hooks, if there is any: resumes before it are not counted").optional(),
  ...resumes,
  savesByHooks: count("checkpoints by hooks that are still in the store"),
  savesByOthers: count("checkpoints by agents and people that are still in the store"),
  hosts: listOf(
    objectOf<HostSavings>({
      host: text("the agent"),
      saves: count("checkpoints by its hooks that are still in the store"),
      lastSaveAt: time("time of the last of these saves, if there is one").optional(),
      ...resumes,
    }),
    "the same figures for each agent",
  ),
});

export const EXPORT_RESULT: ResultSchema<ExportResult> = objectOf<ExportResult>({
  sessionId: text("the session"),
  file: text("absolute path of its file"),
  sizeBytes: count("size of the file"),
  unreadable: unreadableById,
});

export const EXPORT_ALL_RESULT: ResultSchema<ExportAllResult> = objectOf<ExportAllResult>({
  folder: text("absolute path of the folder"),
  exports: listOf(EXPORT_RESULT, "as above, for each session"),
});

export const WRITTEN_FILE: ResultSchema<WrittenFile> = objectOf<WrittenFile>({
  file: text("absolute path of the file"),
  sizeBytes: count("size of the file"),
});

/** Result of giving a store other keys: of a change of the key alone, only the store and the recovery key. */
export const REKEY_RESULT: z.ZodObject = z.strictObject({
  ...z.object(sealed).partial().shape,
  dataDir: text("absolute path"),
  recoveryKey: text("the new recovery key"),
});
