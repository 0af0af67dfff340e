import type { Scenario } from "../scenario.ts";
import { invoiceRounding } from "./invoice-rounding.ts";
import { kundenMigration } from "./kunden-migration.ts";
import { slowImport } from "./slow-import.ts";

/** All scenarios, by name. */
export const SCENARIOS: readonly Scenario[] = [invoiceRounding, kundenMigration, slowImport];
