import { termOf } from "./terms.ts";

/** Words of software work that people take for each other. Few: each brings texts that lack what was asked for. */
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

/** Terms that mean the like of a term. */
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
