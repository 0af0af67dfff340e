import fs from "node:fs";
import { invalidInput, isJsonObject, type WorkrailError } from "@workrail/core";
import { isAllowed } from "./allowed-value.ts";
import { describePlace, parseConfig, readConfigFile } from "./config-file.ts";
import { faultyFile, type PlaceInFile, refusalOf, wrongValue } from "./configuration-issue.ts";
import type { ProgramSettings } from "./setting-table.ts";

/** Settings that a tenant can have of its own: limits on size and number, and retention. */
const TENANT_SETTINGS = [
  "maxCheckpoints",
  "prunedGoTo",
  "maxAsides",
  "maxAsideBytes",
  "maxCheckpointBytes",
  "maxSessionBytes",
  "maxTotalBytes",
  "retentionDays",
  "trashDays",
  "trashPercent",
  "auditDays",
  "warnPercent",
  "cleanupFromPercent",
  "cleanupToPercent",
] as const satisfies readonly (keyof ProgramSettings)[];

/**
 * Reads the settings of one tenant from a file of JSON that has an object with settings for each tenant by name.
 *
 * @throws INVALID_INPUT for a file that is missing or broken, and for a setting of this tenant that cannot be used.
 */
export function settingsOfTenant(file: string, tenant: string): ProgramSettings {
  const { text, members, fault } = readConfigFile(behindLinks(file));
  if (fault !== undefined) throw refusalOf([faultyFile(file, fault)]);
  if (text === undefined) throw unusable(`The file of tenant settings ${file} does not exist.`);
  const own = members.filter(({ name }) => name === tenant);
  if (own.length > 1) throw unusable(`The tenant ${tenant} appears twice (${describePlace(file, own[1]?.place)}).`);
  return Object.fromEntries(own.flatMap(({ value, place }) => settingsIn(value, { file, ...place })));
}

/** Follows links, such as those of Kubernetes: the operator of the server has named the file. */
function behindLinks(file: string): string {
  try {
    return fs.realpathSync(file);
  } catch {
    // Reading it reports the error.
    return file;
  }
}

function settingsIn(value: unknown, where: PlaceInFile): readonly [string, unknown][] {
  // Objects in the file are read as their text.
  const { members, fault } = parseConfig(isJsonObject(value) && typeof value["text"] === "string" ? value["text"] : JSON.stringify(value));
  if (fault !== undefined) throw unusable(`The settings of a tenant must be one JSON object (${describePlace(where.file, where)}).`);
  return members.map(({ name: field, value: each }) => {
    const name = TENANT_SETTINGS.find((known) => known === field);
    if (name === undefined) throw unusable(`${field} cannot be set for a single tenant (${describePlace(where.file, where)}).`);
    if (!isAllowed(name, each)) throw refusalOf([wrongValue(name, { value: each, place: "file", field, where })]);
    return [name, each];
  });
}

function unusable(message: string): WorkrailError {
  return invalidInput("tenantsFile", message, `Settings of a tenant: ${TENANT_SETTINGS.join(", ")}.`);
}
