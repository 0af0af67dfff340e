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
  contextBytes: count("what their contexts have as JSON"),
  storedBytes: count("what their files have"),
  ratio: figure("the one in multiples of the other, if anything is stored").optional(),
  tokens: count("of the latest contexts, if they were counted and can be read").optional(),
};
const project = text("root of the project, if it is of one").optional();

const checkpointOfSession = objectOf<EraseResult["erased"][number]>({
  checkpointId: text("the checkpoint"),
  sessionId: text("its session"),
});

const erasure = objectOf<EraseResult>({
  dryRun: DRY_RUN,
  erased: listOf(checkpointOfSession, "what was erased, or would be"),
  spared: listOf(checkpointOfSession, "what is tagged `keep`, and stays"),
  left: texts("what is still there and why, a sentence each; it goes when the store is opened the next time"),
  unreadable: texts("checkpoints that were stored against what is gone and cannot be read: they are lost, as they were before"),
  copies: objectOf<EraseResult["copies"]>({
    backups: listOf(time("when it was made"), "backups of the store, the newest first"),
    exports: listOf(time("when it was made"), "exports of the sessions, the newest first"),
    exportFiles: texts("files in the data directory that have something of them"),
    quarantineFiles: texts("damaged files of other checkpoints of them in quarantine: nobody can tell what they hold"),
    replacedStores: texts("stores whose place was taken by a backup, in the data directory"),
  }).describe("what is known of copies, which keep what they have"),
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
      bytes: count("what they took"),
    }),
    "what went, or would",
  ),
  spared: listOf(
    objectOf<CleanUpReport["spared"][number]>({
      sessionId: text("the session"),
      why: oneOf(["keep", "in-use", "handle"], "`keep`, `in-use` or `handle`"),
      checkpoints: count("how many"),
      bytes: count("what they take"),
    }),
    "what stays although it was its turn",
  ),
  passedOver: texts("sessions that changed meanwhile, and were left as they are"),
  forgotten: texts("sessions of which [nothing was left](settings.md#automatic-removal); only without a selection"),
  left: texts("what was to be removed for good and is not overwritten yet, and why; the next opening of the store goes on"),
  bytesBefore: count("bytes that the store held, the trash included"),
  bytesAfter: count("bytes that it holds now, or would"),
}).meta({ id: "clean-up", description: "what was removed, and what was not" });

const finding = objectOf<Finding>({
  kind: text("what is wrong, [one of these](#workrail-verify)"),
  ...about,
  ref: text("the file, if it is about one").optional(),
  reason: text("a sentence for people"),
}).meta({ id: "finding", description: "something that is wrong" });

const read = {
  checkpoints: count("how many were looked at"),
  sessions: count("in how many sessions"),
  marked: count("checkpoints that were marked as damaged before, and still are"),
  orphans: texts("readable files that belong to no checkpoint: garbage, mostly"),
  isComplete,
};

const auditRow = objectOf<NonNullable<VerifyAuditLogResult["first"]>>({
  number: count("of the row"),
  at: time("when it was written"),
  action: oneOf(AUDIT_ACTIONS, "what it tells of"),
}).meta({ id: "audit-row", description: "a row of the audit log" });

const use = {
  usedBytes: count("bytes as stored"),
  limitBytes: count("how many there may be"),
  share: figure("the one in parts of the other"),
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
  added: count("added to the store"),
  present: count("there already, and left as they are"),
  leftOut: count("neither: the session here went on, or had removed them"),
  unreadable: unreadableById.describe("checkpoints that the file only names, because they could not be read"),
  secrets: objectOf<NonNullable<ImportFileResult["secrets"]>>({
    action: oneOf(["warned", "redacted"], "what became of them"),
    count: count("how many there are"),
    checkpoints: count("in how many checkpoints"),
    found: listOf(
      z.strictObject({ rule: z.string(), path: z.string(), checkpointId: z.string() }),
      "the first: `rule`, `path` and `checkpointId`",
    ),
  })
    .optional()
    .describe("what looks like a secret in it"),
});

const setting = objectOf<ConfiguredSetting>({
  name: text("its name in `config.json`"),
  value: z.unknown().optional().describe("what holds; missing, or `null` where there is one setting, when there is none"),
  origin: oneOf(["default", "file", "environment", "command line"], "`default`, `file`, `environment` or `command line`"),
  source: text("the file and line, the variable or the option").optional(),
}).meta({ id: "setting", description: "a setting as it holds" });

const changed = objectOf<Omit<LoggedSetting, "notLogged">>({
  file: text("the file that was written"),
  name: text("the setting"),
  value: z.unknown().describe("what is in the file now; `null`: it is not there"),
  holds: setting.describe("what holds: the environment and options go before the file"),
  isLogged: flag("whether the [audit log](audit-log.md) tells of it: not without a store, nor, with a warning, when it cannot be opened"),
}).meta({ id: "changed-setting", description: "a setting that was changed" });

const sealed = {
  dataDir: text("absolute path"),
  blobs: count("checkpoints' files that are now as wanted"),
  removedCopies: texts("copies of the catalog that the store kept by itself, from before a migration or a rebuild"),
  stillInClear: texts("files in the data directory that are in clear: put aside as damaged, exported, or replaced"),
  underOldKey: texts("such files that only an older key opens, after `workrail rekey --deep`; otherwise it is empty"),
  unreadable: texts("files that could not be opened"),
};
const place = { file: text("where `config.json` is, or would be"), hasFile: flag("whether it is there") };

const issue = objectOf<Configuration["issues"][number]>({
  severity: oneOf(["error", "warning"], "`error` or `warning`"),
  message: text("what is wrong"),
  hint: text("what to do").optional(),
  field: text("the setting, the variable or the option").optional(),
  file: text("if it is in a file").optional(),
  line: count("where in it").optional(),
  column: count("where in the line").optional(),
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
      total: objectOf<StoreStats["total"]>({ sessions: count("how many there are"), ...figures }).describe("figures of all of it"),
      projects: listOf(
        objectOf<StoreStats["projects"][number]>({ project, sessions: count("how many there are"), ...figures }),
        "the same of each project",
      ),
      sessions: listOf(
        objectOf<StoreStats["sessions"][number]>({
          sessionId: text("the session"),
          project,
          lastAccessedAt: time("time of its last save or load"),
          ...figures,
        }),
        "the same of each session",
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
    imports: listOf(imported, "of each file; of a source, of each session; of a transcript, of its work and of its conversation"),
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
    entries: listOf(metadataWith({ trashedAt: time("when it went there") }), "the longest there first: [metadata](#metadata), and"),
  }),
  "trash restore": objectOf<FromTrashResult>({ sessionId: text("the session"), checkpointIds: texts("what lives again") }),
  "trash empty": cleanUp,
  backup: objectOf<BackupResult>({
    directory: text("absolute path"),
    createdAt: time("when it was begun"),
    checkpoints: count("how many were proven"),
    trashed: count("likewise, in the trash"),
    sessions: count("in how many sessions"),
    unreadable: listOf(
      z.strictObject({ sessionId: text("the session"), checkpointId: text("the checkpoint"), code: text("the [error](errors.md)") }),
      "those that cannot be read",
    ),
    bytes: count("size of the checkpoints' files"),
    isComplete: flag("`false`: it was interrupted, and there is no backup"),
  }),
  restore: objectOf<RestoreResult>({
    dataDir: text("absolute path"),
    createdAt: time("when the backup was made"),
    checkpoints: count("how many there are now"),
    trashed: count("likewise, in the trash"),
    sessions: count("in how many sessions"),
    unreadable: listOf(unreadableFiles, "files that could not be read when the backup was made; then the exit code is 14"),
    keptAside: text("absolute path of the store that was there; absent when there was none").optional(),
  }),
  status: objectOf<StoreStatus & { readonly dataDir: string }>({
    dataDir: text("where the store is"),
    durability: oneOf(["disk", "memory"], "`disk`, or `memory` while [the disk fails](../how-to/when-the-disk-is-full-or-gone.md)"),
    readOnly: flag("whether the store is [open for reading only](settings.md#read-only)"),
    mode: text("how the storage works, such as the SQLite driver in use"),
    warnings: texts("what a person should know or do, a sentence each"),
    sessions: count("sessions that hold checkpoints"),
    checkpoints: count("how many there are, damaged ones included"),
    damaged: count("how many of them are marked as damaged"),
    liveBytes: count("size of their files"),
    trashed: count("checkpoints in the trash"),
    trashBytes: count("size of their files"),
    pendingRemovals: count("files of removed checkpoints that are still to be removed"),
    neededRemovals: count("how many of them stay because other checkpoints are stored against them"),
    removalsHeldUntil: time("until when a backup has none of them be removed; missing while nobody does").optional(),
    mendings: count("how often the catalog was damaged and mended in its place; missing while it never was").optional(),
    quota: objectOf<StoreStatus["quota"]>(use).describe("of the store, trash included"),
    search: objectOf<NonNullable<StoreStatus["search"]>>({
      sessions: count("sessions all of whose texts are in it"),
      pending: count("sessions whose newest texts are not: they are indexed at the latest by the next search"),
      bytes: count("what it takes on the disk"),
    })
      .optional()
      .describe("how far the search index is; missing where each process makes its own, as of a sealed store"),
    vectors: objectOf<NonNullable<StoreStatus["vectors"]>>({
      spaces: listOf(
        objectOf<NonNullable<StoreStatus["vectors"]>["spaces"][number]>({
          name: text("the embedder"),
          dimensions: count("numbers of each vector"),
          pending: count("sessions that are to be looked at"),
          vectors: count("checkpoints that are embedded"),
        }),
        "of each embedder that was in use, the one used last first",
      ),
      bytes: count("what they take on the disk"),
    })
      .optional()
      .describe("what can be found by meaning; missing where nothing was embedded"),
    largestSessions: listOf(
      objectOf<StoreStatus["largestSessions"][number]>({
        sessionId: text("the session"),
        checkpoints: count("how many it has"),
        ...use,
        lastAccessedAt: time("time of its last save or load"),
      }),
      "the ten largest, the largest first",
    ),
    unfinishedErasures: texts(
      "erased checkpoints of which parts are still in the store: the next opening for writing finishes their erasure",
    ),
    quarantine: objectOf<StoreStatus["quarantine"]>({
      files: count("how many"),
      bytes: count("what they take"),
      places: texts("the first twenty"),
    }).describe("what was put aside because it is damaged"),
    lastCleanUp: objectOf<NonNullable<StoreStatus["lastCleanUp"]>>({
      at: time("when that was"),
      trashed: count("checkpoints that went into the trash"),
      removed: count("checkpoints that are gone for good"),
      sessions: count("of so many sessions"),
      reasons: texts("why, each reason once"),
    })
      .optional()
      .describe("when the store last [followed its policy](settings.md#automatic-removal); missing when the audit log has none"),
    lastBackupAt: time("when the last finished backup was begun; missing when the audit log has none").optional(),
  }),
  verify: objectOf<VerifyReport>({ ...read, findings: listOf(finding, "what is wrong") }),
  "audit list": objectOf<AuditLogResult>({
    entries: listOf(
      objectOf<AuditLogEntry>({
        number: count("of the row"),
        at: time("when it was done"),
        action: oneOf(AUDIT_ACTIONS, "[what was done](audit-log.md#what-is-in-it)"),
        sessionId: text("if it is about one").optional(),
        checkpointId: text("if it is about one").optional(),
        agentId: text("who did it, if that is known").optional(),
        reason: text("why, where the action alone does not tell").optional(),
        digest: text("of the row and the one before; missing for a row from before rows were chained").optional(),
      }),
      "rows, the newest first",
    ),
    next: count("what `--before` takes to go on; missing on the last page").optional(),
  }),
  "audit verify": objectOf<VerifyAuditLogResult>({
    rows: count("how many were looked at"),
    unchained: count("of these, rows from before rows were chained, of which nothing is proven"),
    first: auditRow.optional().describe("the first row: `number`, `at` and `action`"),
    last: auditRow.optional().describe("the last one, likewise"),
    head: text("the last row, as `--expect` takes it").optional(),
    isKeyed: flag("whether it takes the store's key to make a row that fits"),
    findings: listOf(
      objectOf<AuditFinding & { readonly through?: number }>({
        kind: oneOf(["changed", "missing", "unchained", "cut-off", "not-as-noted"], "what is wrong"),
        number: count("of the row"),
        through: count("the last of rows that are missing").optional(),
      }),
      "what is wrong, the first hundred: `kind`, `number`, and of missing rows `through`",
    ),
    findingCount: count("how many there are"),
    isComplete,
  }),
  "audit export": z.strictObject({ file: text("absolute path of the file"), sizeBytes: count("size of the file") }),
  repair: objectOf<RepairReport>({
    ...read,
    repaired: listOf(finding, "what was put right, or with `--dry-run` would be"),
    left: listOf(finding, "what is as it was"),
    advice: texts("what else can be done about these"),
    garbage: objectOf<GarbageReport>({
      blobs: count("files that belonged to no checkpoint, removed"),
      quarantined: count("files that belong to no checkpoint and are damaged, put aside"),
      unreadable: count("files and directories that the system could not read, left as they are").optional(),
      abandoned: count("unfinished files of processes that are gone, removed"),
    })
      .optional()
      .describe("with `--collect-garbage`, when all was read"),
  }),
  rebuild: objectOf<RebuildReport>({
    checkpoints: count("how many the catalog has now"),
    sessions: count("in how many sessions"),
    removedEarlier: count("removed before, and not brought back although the file was there"),
    unreadable: listOf(unreadableFiles, "files that cannot be read"),
    notRebuilt: texts("what no file holds, and is gone with the old catalog"),
  }),
  scan: objectOf<ScanReport>({
    checkpoints: count("how many were looked at"),
    found: listOf(
      objectOf<StoredSecret>({
        sessionId: text("the session"),
        checkpointId: text("the checkpoint"),
        rule: text("by which [rule](secret-rules.md)"),
        path: text('where, such as `context["servers"][2]["url"]`'),
        times: count("how often there"),
        inTrash: mark("the checkpoint is in the trash"),
      }),
      "what was found, the newest checkpoints of a session first",
    ),
    unreadable: texts("checkpoints that cannot be read"),
    isComplete,
  }),
  encrypt: objectOf<SealResult>({ ...sealed, recoveryKey: text("only when the store had none yet").optional() }),
  rekey: z.strictObject({
    ...z.object(sealed).partial().shape,
    dataDir: text("absolute path"),
    recoveryKey: text("the new one"),
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
        fix: oneOf(["possible", "done"], "whether `--fix` can put it right, or did").optional(),
      }),
      "of each check",
    ),
    isHealthy: flag("whether no check is an error"),
  }),
  "config list": z.strictObject({ ...place, settings: listOf(setting, "all settings"), issues: listOf(issue, "what is wrong") }),
  "config get": setting,
  "config set": changed,
  "config unset": changed,
  "config path": z.strictObject(place),
  "config schema": z.looseObject({ $schema: z.string() }),
  completion: z.strictObject({ shell: text("the shell"), script: text("what it is to read") }),
};
