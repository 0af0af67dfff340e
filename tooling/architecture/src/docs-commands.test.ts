import { describe, expect, it } from "vitest";
import { buildProgram } from "../../../apps/cli/src/program.ts";
import { withSettingFlags } from "../../../apps/cli/src/setting-options.ts";
import { allPages, blocksOf } from "./markdown.ts";

type Command = ReturnType<typeof buildProgram>;

/**
 * Matches a command line of the program: at the start of a line, after variable assignments, or after a pipe, with any of the program's
 * names. `workrail-mcp token` belongs to the server alone.
 */
const CALLED =
  /^(?:[A-Z_]+=\S+ )*(?:.*\| |docker run .*?)?(?:workrail|workrail-mcp(?! token )|workrail\/mcp-server|npx -y @workrail\/(?:cli|mcp-server)) (?<args>[a-z].*)$/gm;

/** The part of a line after the command that belongs to the shell. */
const FOR_THE_SHELL = /\s+(?:[|>#]|&&).*$/;

// The page of the commands has their usage, which another test compares with the help.
const pages = allPages()
  .filter(({ path }) => path !== "docs/reference/cli.md")
  .map(({ path, text }) => [path, commandLinesOf(text)] as const);

describe("command lines in code blocks", () => {
  it("are found", () => {
    expect(pages.flatMap(([, lines]) => lines).length).toBeGreaterThan(40);
  });

  it.each(pages.filter(([, lines]) => lines.length > 0))("of %s are such as the program takes", async (_, lines) => {
    const refused: string[] = [];
    for (const line of lines) {
      const why = await refusalOf(line);
      if (why !== undefined) refused.push(`${line}: ${why}`);
    }
    expect(refused).toEqual([]);
  });
});

function commandLinesOf(text: string): readonly string[] {
  const blocks = blocksOf(text).filter(({ language }) => ["", "sh", "bash"].includes(language));
  return blocks.flatMap((block) => {
    const joined = block.text.replaceAll(/\\\n\s*/g, "");
    return Array.from(joined.matchAll(CALLED), ({ groups }) => (groups?.["args"] ?? "").replace(FOR_THE_SHELL, ""));
  });
}

/** Returns why the program would refuse a command line, without running it. */
async function refusalOf(line: string): Promise<string | undefined> {
  const args = (line.match(/"[^"]*"|'[^']*'|\S+/g) ?? []).map((word) => word.replaceAll(/^["']|["']$/g, ""));
  const program = buildProgram();
  program.configureOutput({ writeOut() {}, writeErr() {}, outputError() {} });
  doNothing(program);
  try {
    await program.parseAsync(withSettingFlags(args), { from: "user" });
    return undefined;
  } catch (error) {
    const isHelp = error instanceof Error && "exitCode" in error && error.exitCode === 0;
    return isHelp ? undefined : String(error);
  }
}

function doNothing(command: Command): void {
  for (const each of command.commands) {
    each.action(() => {});
    each.exitOverride().configureOutput({ writeOut() {}, writeErr() {}, outputError() {} });
    doNothing(each);
  }
}
