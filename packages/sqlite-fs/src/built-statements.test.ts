import { expect, it } from "vitest";
import { COMMON_READS } from "../test/common-reads.ts";
import { buildStatement } from "./queries/build-statement.ts";
import { parseShape } from "./read-shape.ts";
import { shaped } from "./statement-of.ts";

it("equal the builder's statements: `--update` rewrites them", async () => {
  const entries = new Map(COMMON_READS.map(shaped).map(({ key }) => [key, buildStatement(parseShape(key))]));
  const lines = [...entries].map(([key, { sql, binds }]) => `  '${key}': { sql: \`${sql}\`, binds: [${binds.join(", ")}] },\n`);
  await expect(`${BEFORE}${lines.join("")}};\n`).toMatchFileSnapshot("built-statements.ts");
});

const BEFORE = `import type { Statement } from "./queries/build-statement.ts";

/**
 * Statements by the shapes of the reads that they answer: those of rules, and of common filters. Built in advance, so that a process
 * that needs no others does not load the query builder. Written by the test of this file.
 */
export const BUILT_STATEMENTS: Readonly<Record<string, Statement>> = {
`;
