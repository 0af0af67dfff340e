import type { Scenario } from "../scenario.ts";
import { backupScript } from "./backup-script.ts";
import { clesDeTraduction } from "./cles-de-traduction.ts";
import { cliDocs } from "./cli-docs.ts";
import { csvExport } from "./csv-export.ts";
import { cursorPages } from "./cursor-pages.ts";
import { dateLibrary } from "./date-library.ts";
import { flakyQueue } from "./flaky-queue.ts";
import { invoiceRounding } from "./invoice-rounding.ts";
import { kundenMigration } from "./kunden-migration.ts";
import { percentRollout } from "./percent-rollout.ts";
import { renameSetting } from "./rename-setting.ts";
import { slowImport } from "./slow-import.ts";
import { wrongReport } from "./wrong-report.ts";

/** All scenarios, by name. */
export const SCENARIOS: readonly Scenario[] = [
  backupScript,
  clesDeTraduction,
  cliDocs,
  csvExport,
  cursorPages,
  dateLibrary,
  flakyQueue,
  invoiceRounding,
  kundenMigration,
  percentRollout,
  renameSetting,
  slowImport,
  wrongReport,
];
