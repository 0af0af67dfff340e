import { mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { applyRemoval, applySetup } from "../src/apply-plan.ts";
import type { HostPart } from "../src/host-part.ts";
import { ALL_HOSTS } from "../src/hosts/all-hosts.ts";
import { planRemoval, type RemovalOptions } from "../src/plan-removal.ts";
import { planSetup, type SetupOptions, type SetupPlan } from "../src/plan-setup.ts";
import type { SetupHost } from "../src/setup-hosts.ts";
import { SetupRecords } from "../src/setup-records.ts";
import type { Surroundings } from "../src/surroundings.ts";

export const PROGRAMS = {
  server: { command: "npx", args: ["-y", "@workrail/mcp-server"] },
  hook: { command: "/opt/node/bin/node", args: ["/opt/work rail/workrail.mjs"] },
} as const;

/** A home directory and a project in a folder of their own, in which hosts are set up. */
export class AMachine {
  readonly folder = realpathSync(mkdtempSync(path.join(tmpdir(), "workrail-setup-")));
  readonly dataDir = path.join(this.folder, "data");
  readonly records = new SetupRecords(this.dataDir);
  readonly surroundings: Surroundings;

  constructor(platform: NodeJS.Platform = "linux", env: Readonly<Record<string, string>> = {}) {
    this.surroundings = { home: path.join(this.folder, "home"), project: path.join(this.folder, "project"), env, platform };
    for (const directory of [this.surroundings.home, this.surroundings.project]) mkdirSync(directory);
  }

  parts(host: SetupHost, scope: "user" | "project" = "user"): readonly HostPart[] {
    return ALL_HOSTS[host].parts(this.surroundings, scope, PROGRAMS);
  }

  files(host: SetupHost, scope: "user" | "project" = "user"): readonly string[] {
    return [...new Set(this.parts(host, scope).map(({ file }) => file))];
  }

  file(host: SetupHost, kind: HostPart["kind"], scope: "user" | "project" = "user"): string {
    const part = this.parts(host, scope).find((each) => each.kind === kind);
    if (part === undefined) throw new Error(`${host} has no ${kind}`);
    return part.file;
  }

  write(file: string, text: string): void {
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, text);
  }

  plan(host: SetupHost, options: Partial<SetupOptions> = {}): SetupPlan {
    return planSetup(host, { ...PROGRAMS, ...options }, this.surroundings);
  }

  async setUp(host: SetupHost, options: Partial<SetupOptions> = {}): Promise<SetupPlan> {
    const plan = this.plan(host, options);
    await applySetup(plan, this.records);
    return plan;
  }

  async takeBack(host: SetupHost, options: RemovalOptions = {}): Promise<SetupPlan> {
    const plan = planRemoval(host, options, this);
    await applyRemoval(plan, this.records, options.mcp === false || options.hooks === false);
    return plan;
  }

  /** Every file of the home directory and the project with its bytes, and every directory. */
  everything(): Readonly<Record<string, string>> {
    const { home, project } = this.surroundings;
    const entries = [home, project].flatMap((root) => readdirSync(root, { recursive: true, withFileTypes: true }));
    return Object.fromEntries(
      entries.map((entry) => {
        const file = path.join(entry.parentPath, entry.name);
        return [path.relative(this.folder, file), entry.isDirectory() ? "directory" : readFileSync(file, "latin1")];
      }),
    );
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}
