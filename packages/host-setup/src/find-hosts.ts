import fs from "node:fs";
import { ALL_HOSTS } from "./hosts/all-hosts.ts";
import { SETUP_HOSTS, type SetupHost } from "./setup-hosts.ts";
import { findProgram, type Surroundings } from "./surroundings.ts";

/** Finds the installed hosts: their program is on `PATH`, or their folder is in the home directory. */
export function findHosts(surroundings: Surroundings): readonly SetupHost[] {
  return SETUP_HOSTS.filter((host) => {
    const { program, traces } = ALL_HOSTS[host];
    return findProgram(program, surroundings) !== undefined || traces(surroundings).some((place) => fs.existsSync(place));
  });
}

/** A host's name as its makers spell it. */
export function titleOf(host: SetupHost): string {
  return ALL_HOSTS[host].title;
}
