import path from "node:path";
import { type FileRefusal, type GivenFile, readGivenFile, signatureOf } from "@workrail/blob-files";
import { type CompiledRules, type ContextRules, isWorkrailError, type Log, parseContextRules, WorkrailError } from "@workrail/core";
import { loadPatterns } from "./patterns.ts";

/** Where a project says how its contexts are to be classified, from its root; the first that is there counts. */
const FOLDER = ".workrail";
const RULES_FILES = ["context-rules.yaml", "context-rules.yml", "context-rules.json"] as const;

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

/** Nothing of the file's content is in it. */
const REFUSALS: Readonly<Record<FileRefusal, string>> = {
  missing: "It is not there.",
  "not-a-file": "It is not a regular file.",
  outside: "A link leads out of the project.",
  "too-large": `It is larger than ${MAX_BYTES} bytes.`,
  unreadable: "It cannot be read.",
  "too-slow": "It could not be read in time.",
};

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
    const folder = path.join(root, FOLDER);
    // In place: each save looks, and turns through the thread pool take longer than all else that it does beside the disk.
    const isDirectory = signatureOf(folder)?.startsWith("directory");
    if (isDirectory === undefined) return {};
    for (const file of RULES_FILES.map((name) => path.join(folder, name))) {
      // To look where a link leads could take for ever: without a version the file is read each time.
      const signature = isDirectory ? signatureOf(file) : "other";
      if (signature === undefined) continue;
      const version = `${file} ${signature}`;
      if (signature.startsWith("file") && this.#known?.version === version) return this.#known;
      const read = await readGivenFile(root, file, { maxBytes: MAX_BYTES });
      if (!isDirectory && "refused" in read && read.refused === "missing") continue;
      this.#known = { version, ...(await this.#follow(file, read)) };
      return this.#known;
    }
    return {};
  }

  async #follow(file: string, read: GivenFile): Promise<RulesFound> {
    if ("refused" in read) return this.#passOver(file, read.refused, REFUSALS[read.refused]);
    try {
      return { rules: await compiled(parseContextRules(await parse(file, read.bytes)), "contextRules") };
    } catch (error) {
      return this.#passOver(file, "not-valid", isWorkrailError(error) ? error.message : "It cannot be used.");
    }
  }

  /** In the log is no word of the file. */
  #passOver(file: string, reason: FileRefusal | "not-valid", why: string): RulesFound {
    const warning = `${file} is not followed. ${why}`;
    if (this.#known?.warning !== warning) this.#log.warn("the project's context rules are not followed", { file, reason });
    return { warning };
  }
}

/** @throws INVALID_INPUT naming the place in the rules. */
async function compiled(rules: ContextRules, name: string): Promise<CompiledRules> {
  const { compileRules } = await import("./on-demand/viewing.ts");
  return compileRules(rules, await loadPatterns(), name);
}

/** @throws INVALID_INPUT naming the place, and no word of the text. */
async function parse(file: string, bytes: Buffer): Promise<unknown> {
  const text = bytes.toString("utf8").replace(/^\uFEFF/, "");
  return file.endsWith(".json") ? parseJson(text) : parseYaml(text);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    const place = /line (\d+)/u.exec(cause instanceof Error ? cause.message : "")?.[1];
    throw notParsed("JSON", place, cause);
  }
}

async function parseYaml(text: string): Promise<unknown> {
  const yaml = await import("yaml");
  try {
    // An empty file has no rules, and is no mistake.
    return yaml.parse(text, { logLevel: "error", prettyErrors: true }) ?? {};
  } catch (cause) {
    const place = cause instanceof yaml.YAMLError ? cause.linePos?.[0].line : undefined;
    throw notParsed("YAML", place, cause);
  }
}

function notParsed(language: string, line: string | number | undefined, cause: unknown): WorkrailError {
  const place = line === undefined ? "" : ` (line ${line})`;
  return new WorkrailError("INVALID_INPUT", `It is not ${language}${place}.`, { cause });
}
