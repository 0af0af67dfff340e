import { type PatternCompiler, WorkrailError } from "@workrail/core";

/** Most instructions of a compiled expression: matching may visit each instruction once for each character. */
const MAX_INSTRUCTIONS = 5_000;

/** Returns a compiler of expressions in RE2 syntax, without backtracking. Loads a quarter of a megabyte on first use. */
export async function loadPatterns(): Promise<PatternCompiler> {
  const { RE2JS, RE2JSException } = await import("re2js");
  return {
    compile(pattern) {
      try {
        const compiled = RE2JS.compile(pattern);
        if (compiled.programSize() > MAX_INSTRUCTIONS) throw invalid(pattern, "its repetitions make it too large");
        return (text) => compiled.test(text);
      } catch (error) {
        if (!(error instanceof RE2JSException)) throw error;
        throw invalid(pattern, error.message.replace(/^error parsing regexp: /, ""), error);
      }
    },
  };
}

function invalid(pattern: string, reason: string, cause?: unknown): WorkrailError {
  return new WorkrailError("INVALID_INPUT", `The regular expression ${JSON.stringify(pattern)} is invalid: ${reason}.`, {
    details: { pattern, reason },
    hint: "Write it in the syntax of RE2, which has no lookahead, no lookbehind and no backreferences.",
    cause,
  });
}
