export { backupStore } from "./backup-store.ts";
export type { BackupOptions, BackupPorts, BackupProgress, BackupReport } from "./backup-store.ts";
export type { UnreadableInExport } from "./export-format/export-fields.ts";
export { EXPORT_FORMAT, EXPORT_VERSION } from "./export-format/export-text.ts";
export { foreignSessionText } from "./export-format/foreign-session.ts";
export { countCheckpoints, exportSession, noteExport, sessionToExport } from "./export-session.ts";
export type { ExportOptions, ExportPorts, ExportProgress } from "./export-session.ts";
export { importSession } from "./import-session.ts";
export type { ExportSource, ImportedSecret, ImportInput, ImportPorts, ImportReport } from "./import-session.ts";
