import path from "node:path";
import { invalidInput, readOnly } from "@workrail/core";
import { checkPlace } from "./check-params.ts";
import { type Adapters, checkAdapters } from "./container.ts";
import type { CopyStoreOptions } from "./copy-options.ts";
import { isDatabase, isNode } from "./place-of.ts";
import { type GivenSettings, readSettings, type Settings } from "./settings.ts";

/** Settings of the store to copy, and of the place to copy to. */
export interface CopySettings {
  readonly source: Settings;
  readonly target: Settings;
  readonly adapters: Omit<Adapters, "storage">;
}

/** Reads the settings of both places. @throws INVALID_INPUT; READ_ONLY. */
export function readPlaces({ adapters = {}, from, to, ...given }: CopyStoreOptions): CopySettings {
  checkPlace(to, "to");
  if (from !== undefined) checkPlace(from, "from");
  checkAdapters(adapters);
  if ("storage" in adapters && adapters.storage !== undefined) throw storageElsewhere();
  const env = given.env ?? process.env;
  const source = readSettings(env, { ...given, ...(from === undefined ? {} : named(from)) }, adapters.log);
  const target = readSettings(env, { ...given, ...named(to) }, adapters.log);
  if (target.readOnly) throw readOnly();
  if (source.store !== undefined || target.store !== undefined) {
    if (source.store === target.store) throw samePlace();
  } else if (isIn(target.dataDir, source.dataDir) || isIn(source.dataDir, target.dataDir)) throw samePlace();
  return { source, target, adapters };
}

/** A place is a directory, or the URL of a database or a node. */
function named(place: string): Pick<GivenSettings, "store" | "dataDir"> {
  return isDatabase(place) || isNode(place) ? { store: place } : { dataDir: place };
}

function isIn(place: string, directory: string): boolean {
  const way = path.relative(directory, place);
  return way !== ".." && !way.startsWith(`..${path.sep}`) && !path.isAbsolute(way);
}

function storageElsewhere(): Error {
  return invalidInput("adapters.storage", "Each place has its own storage.", "Leave adapters.storage out, and give from and to.");
}

function samePlace(): Error {
  return invalidInput("to", "The two places are the same, or one is inside the other.", "Name another place.");
}

export function noStore(place: string): Error {
  return invalidInput("from", `There is no store in ${place}.`, "Name the place of a store.");
}
