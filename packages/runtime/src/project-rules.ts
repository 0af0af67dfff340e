import { parseContextRules } from "@workrail/classifier/rules";
import path from "node:path";
import { type FileRefusal, type GivenFile, readGivenFile, signatureOf } from "@workrail/blob-files";
import { type CompiledRules, type ContextRules, isWorkrailError, type Log, WorkrailError } from "@workrail/core";
import { loadPatterns } from "./patterns.ts";
import type { CallerPlace } from "./remote/caller-place.ts";

/** Rules files of a project, relative to its root; the first that exists is used. */
const FOLDER = ".workrail";
const RULES_FILES = ["context-rules.yaml", "context-rules.yml", "context-rules.json"] as const;

/** Rules are written by hand; anything larger is some other file. */
const MAX_BYTES = 256 * 1024;

export interface RulesFound {
  readonly rules?: CompiledRules | undefined;
  /** The rules as the project's file has them. */
  readonly inFile?: ContextRules | undefined;
  /** Why the project's file is ignored. */
  readonly warning?: string | undefined;
}

/** The parsed rules of one version of a file. */
interface Known extends RulesFound {
  readonly version: string;
}

/** Messages for a refused file; they never contain its content. */
const REFUSALS: Readonly<Record<FileRefusal, string>> = {
  missing: "It does not exist.",
  "not-a-file": "It is not a regular file.",
  outside: "A link leads out of the project.",
  "too-large": `It is larger than ${MAX_BYTES} bytes.`,
  unreadable: "It cannot be read.",
  "too-slow": "It could not be read in time.",
};

/** Provides the context rules: those given with a call, or those of the project's file, reread when it changes. */
export class ProjectRules {
  readonly #root: string | undefined;
  readonly #log: Log;
  #known: Known | undefined;

  /** @param root root of the project; `undefined`: there is no file. */
  constructor(root: string | undefined, log: Log) {
    this.#root = root;
    this.#log = log;
  }

  /**
   * Returns the rules given with the call, else those of the project's file.
   *
   * @throws INVALID_INPUT naming the place, for invalid given rules.
   */
  async for(given: ContextRules | undefined): Promise<RulesFound> {
    return given === undefined ? this.inFile() : { rules: await compiled(given, "contextRules") };
  }

  /**
   * Returns the rules of the project's file, if there are any. Never fails: an invalid file is ignored with a warning, because no work may
   * be lost for it.
   */
  async inFile(): Promise<RulesFound> {
    const root = this.#root;
    if (root === undefined) return {};
    const folder = path.join(root, FOLDER);
    // Synchronous: each save checks this, and round trips to the thread pool would take longer than the rest of the save except the disk.
    const isDirectory = signatureOf(folder)?.startsWith("directory");
    if (isDirectory === undefined) return {};
    for (const file of RULES_FILES.map((name) => path.join(folder, name))) {
      // Inspecting the target of a link could block forever. Such a file has no version and is read every time.
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
      const inFile = parseContextRules(await parse(file, read.bytes));
      return { rules: await compiled(inFile, "contextRules"), inFile };
    } catch (error) {
      return this.#passOver(file, "not-valid", isWorkrailError(error) ? error.message : "It is invalid.");
    }
  }

  /** The log never contains content of the file. */
  #passOver(file: string, reason: FileRefusal | "not-valid", why: string): RulesFound {
    const warning = `${file} is ignored. ${why}`;
    if (this.#known?.warning !== warning) this.#log.warn("the project's context rules are ignored", { file, reason });
    return { warning };
  }
}

/** Provides the rules given with a call, or those that a caller on another machine found there. */
export function rulesOf({ rules, rulesWarning: warning }: CallerPlace): Pick<ProjectRules, "for" | "inFile"> {
  const inFile = async (): Promise<RulesFound> => {
    try {
      return { rules: rules && (await compiled(rules, "contextRules")), warning };
    } catch (error) {
      // No work may be lost for rules that only the caller's version understands.
      return {
        warning: `The project's context rules are ignored. ${isWorkrailError(error) ? error.message : "They are invalid."}`,
      };
    }
  };
  return { inFile, for: async (given) => (given === undefined ? inFile() : { rules: await compiled(given, "contextRules") }) };
}

/** @throws INVALID_INPUT naming the place in the rules. */
async function compiled(rules: ContextRules, name: string): Promise<CompiledRules> {
  const { compileRules } = await import("./on-demand/viewing.ts");
  return compileRules(rules, await loadPatterns(), name);
}

/** @throws INVALID_INPUT naming the place, without text of the file. */
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
    // An empty file is valid and has no rules.
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
