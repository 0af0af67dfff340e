import fs from "node:fs";
import path from "node:path";
import { type CompiledRules, type ContextRules, isWorkrailError, type Log, parseContextRules, WorkrailError } from "@workrail/core";
import { loadPatterns } from "./patterns.ts";

/** Where a project says how its contexts are to be classified, from its root; the first that is there counts. */
const RULES_FILES = [".workrail/context-rules.yaml", ".workrail/context-rules.yml", ".workrail/context-rules.json"] as const;

/** Rules are written by hand; whatever is larger is something else. */
const MAX_BYTES = 256 * 1024;

export interface RulesFound {
  readonly rules?: CompiledRules | undefined;
  /** Why the project's file is not followed. */
  readonly warning?: string | undefined;
}

/** What was made of one version of a file. */
interface Known extends RulesFound {
  readonly version: string;
}

/** Rules for contexts: those that come with a call, and those in a file of the project, read again when it changed. */
export class ProjectRules {
  readonly #root: string | undefined;
  readonly #log: Log;
  #known: Known | undefined;

  /** @param root the project's; `undefined`: there is no file. */
  constructor(root: string | undefined, log: Log) {
    this.#root = root;
    this.#log = log;
  }

  /**
   * Those that came with a call, else those in the project's file.
   *
   * @throws INVALID_INPUT for given ones that cannot be used, naming the place.
   */
  async for(given: ContextRules | undefined): Promise<RulesFound> {
    return given === undefined ? this.inFile() : { rules: await compiled(given, "contextRules") };
  }

  /**
   * The rules in the project's file, or nothing. It never fails: a file that cannot be used is passed over with a warning,
   * because work must not be lost for it.
   */
  async inFile(): Promise<RulesFound> {
    const root = this.#root;
    if (root === undefined) return {};
    for (const name of RULES_FILES) {
      const file = path.join(root, name);
      const stat = lookAt(file);
      if (stat === undefined) continue;
      const version = `${file} ${stat.mtimeMs} ${stat.size}`;
      if (this.#known?.version !== version) this.#known = { version, ...(await this.#read(file, stat.size)) };
      return this.#known;
    }
    return {};
  }

  async #read(file: string, bytes: number): Promise<RulesFound> {
    try {
      return { rules: await compiled(parseContextRules(await parseFile(file, bytes)), "contextRules") };
    } catch (error) {
      const reason = isWorkrailError(error)
        ? error.message
        : `It cannot be read: ${error instanceof Error ? error.message : String(error)}`;
      const warning = `${file} is not followed. ${reason}`;
      this.#log.warn("the project's context rules are not followed", { file, reason });
      return { warning };
    }
  }
}

/** In place: each save looks, and three turns through the thread pool take longer than all else that it does beside the disk. */
function lookAt(file: string): fs.Stats | undefined {
  try {
    return fs.statSync(file, { throwIfNoEntry: false });
  } catch {
    // What cannot be looked at cannot be followed: no project is kept from saving for it.
    return undefined;
  }
}

/** @throws INVALID_INPUT naming the place in the rules. */
async function compiled(rules: ContextRules, name: string): Promise<CompiledRules> {
  const { compileRules } = await import("./on-demand/viewing.ts");
  return compileRules(rules, await loadPatterns(), name);
}

async function parseFile(file: string, bytes: number): Promise<unknown> {
  if (bytes > MAX_BYTES) throw new WorkrailError("INVALID_INPUT", `It is larger than ${MAX_BYTES} bytes.`);
  const text = (await fs.promises.readFile(file, "utf8")).replace(/^\uFEFF/, "");
  if (file.endsWith(".json")) return JSON.parse(text);
  const { parse } = await import("yaml");
  // An empty file has no rules, and is no mistake.
  return parse(text, { logLevel: "error" }) ?? {};
}
