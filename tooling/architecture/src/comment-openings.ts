import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "./workspace.ts";

/** The first word of a comment, and its place. */
export interface Opening {
  readonly word: string;
  /** Relative to the root, with the line: `packages/core/src/turns.ts:12`. */
  readonly place: string;
}

const SOURCES = "{packages,apps,tooling,examples,scripts}/**/*.{ts,mjs,mts}";
/** A comment of one line, or the first line of a longer one that begins with text. */
const COMMENT = /^\s*(?:\/\/|\/\*\*)\s+([A-Za-z']+)/u;

/** Reads the first word of each comment in the sources. */
export function commentOpenings(): readonly Opening[] {
  const files = globSync(SOURCES, { cwd: ROOT, exclude: (name) => name === "node_modules" || name === "dist" });
  return files.toSorted().flatMap((file) =>
    readFileSync(join(ROOT, file), "utf8")
      .split("\n")
      .flatMap((line, at): Opening[] => {
        const word = COMMENT.exec(line)?.[1];
        return word === undefined ? [] : [{ word, place: `${file.replaceAll("\\", "/")}:${at + 1}` }];
      }),
  );
}

// As a program, it lists how often each word opens a comment.
if (import.meta.main) {
  const counts = Map.groupBy(commentOpenings(), ({ word }) => word);
  const sorted = [...counts].toSorted(([, one], [, other]) => other.length - one.length);
  for (const [word, found] of sorted.slice(0, 40)) console.log(`${String(found.length).padStart(5)} ${word}`);
}
