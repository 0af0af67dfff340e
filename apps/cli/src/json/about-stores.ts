import { AUDIT_ACTIONS } from "@workrail/core";
import type {
  AuditFinding,
  CleanUpReport,
  Finding,
  GarbageReport,
  RebuildReport,
  RepairReport,
  ScanReport,
  StoredSecret,
  StoreStats,
  StoreStatus,
  VerifyReport,
} from "@workrail/core";
import type {
  AuditLogEntry,
  AuditLogResult,
  BackupResult,
  Configuration,
  ConfiguredSetting,
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
  RestoreResult,
  SealResult,
  VerifyAuditLogResult,
} from "@workrail/runtime";
import * as z from "zod";
import type { TranscriptImport, TranscriptImports } from "../import-transcripts.ts";
import { count, figure, flag, listOf, mark, objectOf, oneOf, text, texts, time } from "./fields.ts";
import { DRY_RUN, metadataWith } from "./shapes.ts";

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
const project = text("root of the project, if it is of one").optional();

const checkpointOfSession = objectOf<EraseResult["erased"][number]>({
  checkpointId: text("the checkpoint"),
  sessionId: text("its session"),
});

const erasure = objectOf<EraseResult>({
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

const cleanUp = objectOf<CleanUpReport>({
  dryRun: DRY_RUN,
  removed: listOf(
    objectOf<CleanUpReport["removed"][number]>({
      sessionId: text("the session"),
      reason: oneOf(
        ["retention", "thinning", "aside-age", "quota", "disk-full", "trash-age", "trash-share", "manual"],
        "`retention`, `thinning`, `aside-age`, `quota`, `disk-full`, `trash-age` or `trash-share`, [each a row there](settings.md#automatic-removal); `manual`: somebody asked for it",
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
  marked: count("checkpoints that were marked as damaged before"),
  orphans: texts("readable files without a checkpoint: mostly garbage"),
  isComplete,
};

const auditRow = objectOf<NonNullable<VerifyAuditLogResult["first"]>>({
  number: count("of the row"),
  at: time("when it was written"),
  action: oneOf(AUDIT_ACTIONS, "the action"),
}).meta({ id: "audit-row", description: "a row of the audit log" });

const use = {
  usedBytes: count("bytes as stored"),
  limitBytes: count("the limit"),
  share: figure("`usedBytes` divided by `limitBytes`"),
};

const exported = {
  sessionId: text("the session"),
  file: text("absolute path of its file"),
  sizeBytes: count("size of the file"),
  unreadable: unreadableById,
};

/** Fields of imported transcripts only. */
type OfTranscripts = "startedAt" | "lastAt";

const imported = objectOf<Omit<TranscriptImport, OfTranscripts> & Partial<Pick<TranscriptImport, OfTranscripts>>>({
  file: text("absolute path of the file; `-`: standard input; of a source, the path as it was given or found"),
  name: text("of a source: the session's name in the other program").optional(),
  project: text("of a transcript: the project of its session").optional(),
  startedAt: time("of a transcript: time of its first event").optional(),
  lastAt: time("of a transcript: time of its last event").optional(),
  dryRun: flag("whether nothing was written"),
  sessionId: text("the session in this store"),
  exportedSessionId: text("the session in the file; another one when it was renamed"),
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

const setting = objectOf<ConfiguredSetting>({
  name: text("its name in `config.json`"),
  value: z.unknown().optional().describe("the value in use; without one it is missing, or `null` for a single setting"),
  origin: oneOf(["default", "file", "environment", "command line"], "`default`, `file`, `environment` or `command line`"),
  source: text("the file and line, the variable or the option").optional(),
}).meta({ id: "setting", description: "a setting with its value in use" });

const changed = objectOf<Omit<LoggedSetting, "notLogged">>({
  file: text("the file that was written"),
  name: text("the setting"),
  value: z.unknown().describe("the value in the file; `null`: none"),
  holds: setting.describe("the value in use: the environment and options override the file"),
  isLogged: flag(
    "whether the [audit log](audit-log.md) has a row for it: not without a store, nor, with a warning, if it cannot be opened",
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
const place = { file: text("path of `config.json`"), hasFile: flag("whether it exists") };

const issue = objectOf<Configuration["issues"][number]>({
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

/** JSON output of the commands that maintain the store and transfer its data. */
export const ABOUT_STORES: Readonly<Record<string, z.ZodType>> = {
  stats: z.union([
    objectOf<StoreStats>({
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
    }),
    objectOf<Savings>({
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
    }),
  ]),
  export: z.union([
    objectOf<ExportResult>(exported),
    objectOf<ExportAllResult>({
      folder: text("absolute path of the folder"),
      exports: listOf(objectOf<ExportResult>(exported), "as above, for each session"),
    }),
    z.looseObject({ format: z.string() }),
  ]),
  import: z.strictObject({
    imports: listOf(imported, "one per file; of a source, one per session; of a transcript, one for its work and one for its conversation"),
    skipped: listOf(
      z.strictObject({ place: text("the file with the line, the row, the session"), reason: text("the reason") }),
      "only of a source: items that were not imported",
    ).optional(),
    leftOut: objectOf<TranscriptImports["leftOut"]>({
      subagent: count("of sub-agents"),
      "other-project": count("of other projects than `--project`"),
      older: count("older than `--since`"),
      empty: count("without a prompt"),
      erased: count("of erased sessions"),
    })
      .optional()
      .describe("only of transcripts: how many were left out"),
  }),
  delete: z.union([cleanUp, erasure]),
  cleanup: cleanUp,
  "trash list": z.strictObject({
    entries: listOf(metadataWith({ trashedAt: time("time of the removal") }), "the oldest removal first: [metadata](#metadata), and"),
  }),
  "trash restore": objectOf<FromTrashResult>({ sessionId: text("the session"), checkpointIds: texts("the restored checkpoints") }),
  "trash empty": cleanUp,
  backup: objectOf<BackupResult>({
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
  }),
  restore: objectOf<RestoreResult>({
    dataDir: text("absolute path"),
    createdAt: time("time of the backup"),
    checkpoints: count("number in the store now"),
    trashed: count("the same in the trash"),
    sessions: count("number of their sessions"),
    unreadable: listOf(unreadableFiles, "files that the backup could not read; the exit code is then 14"),
    keptAside: text("absolute path of the replaced store; missing if there was none").optional(),
  }),
  status: objectOf<StoreStatus & { readonly dataDir: string }>({
    dataDir: text("its data directory"),
    durability: oneOf(["disk", "memory"], "`disk`, or `memory` while [the disk fails](../how-to/when-the-disk-is-full-or-gone.md)"),
    readOnly: flag("whether the store is [open for reading only](settings.md#read-only)"),
    mode: text("how the storage works, such as the SQLite driver in use"),
    warnings: texts("warnings for people, a sentence each"),
    sessions: count("sessions that hold checkpoints"),
    checkpoints: count("how many there are, damaged ones included"),
    damaged: count("how many of them are marked as damaged"),
    liveBytes: count("size of their files"),
    trashed: count("checkpoints in the trash"),
    trashBytes: count("size of their files"),
    pendingRemovals: count("files of removed checkpoints that are still to be removed"),
    neededRemovals: count("those of them that other checkpoints depend on"),
    removalsHeldUntil: time("time until which a backup delays these removals; missing without a backup").optional(),
    mendings: count("number of repairs of the catalog in place; missing if there was none").optional(),
    quota: objectOf<StoreStatus["quota"]>(use).describe("of the store, including the trash"),
    search: objectOf<NonNullable<StoreStatus["search"]>>({
      sessions: count("fully indexed sessions"),
      pending: count("sessions with new texts to index, at the latest by the next search"),
      bytes: count("its size on disk"),
    })
      .optional()
      .describe("state of the search index; missing if each process builds its own, as in a sealed store"),
    vectors: objectOf<NonNullable<StoreStatus["vectors"]>>({
      spaces: listOf(
        objectOf<NonNullable<StoreStatus["vectors"]>["spaces"][number]>({
          name: text("the embedder"),
          dimensions: count("numbers of each vector"),
          pending: count("sessions to embed"),
          vectors: count("embedded checkpoints"),
        }),
        "one per embedder, the most recently used first",
      ),
      bytes: count("their size on disk"),
    })
      .optional()
      .describe("state of the search by meaning; missing if nothing was embedded"),
    largestSessions: listOf(
      objectOf<StoreStatus["largestSessions"][number]>({
        sessionId: text("the session"),
        checkpoints: count("how many it has"),
        ...use,
        lastAccessedAt: time("time of its last save or load"),
      }),
      "the ten largest, the largest first",
    ),
    unfinishedErasures: texts("erased checkpoints with remaining parts in the store, which the next opening for writing erases"),
    quarantine: objectOf<StoreStatus["quarantine"]>({
      files: count("how many"),
      bytes: count("their size"),
      places: texts("the first twenty"),
    }).describe("quarantined damaged files"),
    lastCleanUp: objectOf<NonNullable<StoreStatus["lastCleanUp"]>>({
      at: time("its time"),
      trashed: count("checkpoints moved to the trash"),
      removed: count("checkpoints removed for good"),
      sessions: count("number of their sessions"),
      reasons: texts("the distinct reasons"),
    })
      .optional()
      .describe("the last [automatic removal](settings.md#automatic-removal); missing if the audit log has none"),
    lastBackupAt: time("beginning of the last finished backup; missing if the audit log has none").optional(),
  }),
  verify: objectOf<VerifyReport>({ ...read, findings: listOf(finding, "faults") }),
  "audit list": objectOf<AuditLogResult>({
    entries: listOf(
      objectOf<AuditLogEntry>({
        number: count("of the row"),
        at: time("its time"),
        action: oneOf(AUDIT_ACTIONS, "[the action](audit-log.md#what-is-in-it)"),
        sessionId: text("if it is about one").optional(),
        checkpointId: text("if it is about one").optional(),
        agentId: text("the agent, if known").optional(),
        reason: text("the reason, if the action needs one").optional(),
        digest: text("digest of the row and the one before; missing in rows older than the chain").optional(),
      }),
      "rows, the newest first",
    ),
    next: count("argument of `--before` for the next page; missing on the last page").optional(),
  }),
  "audit verify": objectOf<VerifyAuditLogResult>({
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
  }),
  "audit export": z.strictObject({ file: text("absolute path of the file"), sizeBytes: count("size of the file") }),
  repair: objectOf<RepairReport>({
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
  }),
  rebuild: objectOf<RebuildReport>({
    checkpoints: count("number in the catalog"),
    sessions: count("number of their sessions"),
    removedEarlier: count("removed earlier, and not restored although the file exists"),
    unreadable: listOf(unreadableFiles, "files that cannot be read"),
    notRebuilt: texts("data of the old catalog that no file has"),
  }),
  scan: objectOf<ScanReport>({
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
  }),
  encrypt: objectOf<SealResult>({ ...sealed, recoveryKey: text("only if the store had none yet").optional() }),
  rekey: z.strictObject({
    ...z.object(sealed).partial().shape,
    dataDir: text("absolute path"),
    recoveryKey: text("the new recovery key"),
  }),
  doctor: objectOf<DoctorReport>({
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
  }),
  "config list": z.strictObject({ ...place, settings: listOf(setting, "all settings"), issues: listOf(issue, "faults") }),
  "config get": setting,
  "config set": changed,
  "config unset": changed,
  "config path": z.strictObject(place),
  "config schema": z.looseObject({ $schema: z.string() }),
  completion: z.strictObject({ shell: text("the shell"), script: text("the script for the shell") }),
};
