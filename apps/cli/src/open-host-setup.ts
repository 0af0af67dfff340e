import { realpathSync } from "node:fs";
import { WorkrailError } from "@workrail/core";
import type { Program, SetupHost, SetupPlan, SetupScope } from "@workrail/host-setup";
import manifest from "../package.json" with { type: "json" };
import { settingArgs } from "./setting-options.ts";
import type { GlobalOptions } from "./with-store.ts";

export interface HostOptions extends GlobalOptions {
  readonly scope: SetupScope;
  readonly project?: string;
  readonly remove?: true;
  readonly yes?: true;
  readonly pin?: true;
  readonly local?: true;
  /** `false` with `--no-mcp`. */
  readonly mcp: boolean;
  /** `false` with `--no-hooks`. */
  readonly hooks: boolean;
}

/** Plans and applies set-ups for one command line. */
export interface HostSetup {
  /** Warnings for the person, before anything is written. */
  readonly warnings: readonly string[];
  found(): readonly SetupHost[];
  titleOf(host: SetupHost): string;
  plan(host: SetupHost): SetupPlan;
  apply(plan: SetupPlan): Promise<void>;
}

/** Loads the host set-up library, and configures it from the command line. */
export async function openHostSetup(options: HostOptions): Promise<HostSetup> {
  const library = await import("./library/hosting.ts");
  const { dataDir, values } = library.readConfiguration({ env: process.env, args: settingArgs(options) });
  const surroundings = library.currentSurroundings(values.project);
  const installation = { script: realpathSync(process.argv[1] ?? ""), node: process.execPath };
  const records = new library.SetupRecords(dataDir);
  const { scope, mcp, hooks } = options;
  const isPartial = !mcp || !hooks;
  const wantsHooks = hooks && options.remove !== true;
  const server = (): Program => {
    if (options.local !== true) return library.serverByNpx(surroundings, options.pin === true ? manifest.version : undefined);
    const local = library.localServer(installation, surroundings);
    if (local === undefined) throw noLocalServer();
    return local;
  };
  return {
    warnings: wantsHooks && library.isTemporary(installation) ? [TEMPORARY] : [],
    found: () => library.findHosts(surroundings),
    titleOf: (host) => library.titleOf(host),
    plan: (host) =>
      options.remove === true
        ? library.planRemoval(host, { scope, mcp, hooks }, { surroundings, records })
        : library.planSetup(
            host,
            { scope, mcp, hooks, server: server(), hook: library.hookProgram(installation, surroundings) },
            surroundings,
          ),
    apply: (plan) => (options.remove === true ? library.applyRemoval(plan, records, isPartial) : library.applySetup(plan, records)),
  };
}

const TEMPORARY =
  "the hooks call a program in a cache of the package manager, which may remove it: run npm install --global @workrail/cli, and then workrail setup again";

function noLocalServer(): WorkrailError {
  return new WorkrailError("INVALID_INPUT", "The MCP server is not installed beside this program.", {
    hint: "Run npm install --global @workrail/mcp-server and then workrail-mcp setup --local, or leave --local out.",
  });
}
