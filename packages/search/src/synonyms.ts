import { termOf } from "./terms.ts";

/** Groups of synonyms from software work. The list is short, because each group brings in texts without the words of the query. */
const GROUPS: readonly string[] = [
  "login signin logon auth authentication",
  "bug defect error fault",
  "repo repository",
  "folder directory dir",
  "delete remove",
  "config configuration settings cfg",
  "env environment",
  "db database",
  "doc docs documentation",
  "dep dependency",
  "dev development",
  "prod production",
  "param parameter",
  "arg argument",
  "func function",
  "var variable",
  "msg message",
  "pkg package",
  "lib library",
  "perf performance",
  "admin administrator",
  "async asynchronous",
  "password passwd pwd",
  "kubernetes k8s",
  "postgres postgresql",
  "javascript js",
  "typescript ts",
];

let others: ReadonlyMap<string, readonly string[]> | undefined;

/** Returns the synonyms of a term. */
export function synonymsOf(term: string): readonly string[] {
  others ??= tableOf(GROUPS);
  return others.get(term) ?? [];
}

function tableOf(groups: readonly string[]): ReadonlyMap<string, readonly string[]> {
  const table = new Map<string, readonly string[]>();
  for (const group of groups) {
    const terms = [...new Set(group.split(" ").map(termOf))];
    for (const term of terms) {
      table.set(
        term,
        terms.filter((other) => other !== term),
      );
    }
  }
  return table;
}
