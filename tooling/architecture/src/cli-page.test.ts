import { tmpdir } from "node:os";
import { join } from "node:path";
import { ERROR_CODES } from "@workrail/core";
import { examineInstallation } from "@workrail/runtime";
import { describe, expect, it } from "vitest";
import { EXIT_CODES } from "../../../apps/cli/src/exit-codes.ts";
import { buildProgram } from "../../../apps/cli/src/program.ts";
import { jsonTables, sharedAnswers } from "./cli-tables.ts";
import { blocksOf, plain, readPage, sectionOf, tableOf } from "./markdown.ts";

const page = readPage("docs/reference/cli.md");
const program = buildProgram();
const help = program.createHelp();

type Command = (typeof program.commands)[number];

describe("docs/reference/cli.md", () => {
  it("names every command, and no other, as the help does", () => {
    const told = tableOf(page.text).map(([link, meaning]) => [/^\[`workrail (\w+)`\]/.exec(link ?? "")?.[1], meaning]);
    expect(told).toEqual(program.commands.map((command) => [command.name(), command.summary()]));
  });

  it("and the README of the program name the same commands", () => {
    const readme = tableOf(readPage("apps/cli/README.md").text).map(([name, meaning]) => [plain(name), meaning]);
    expect(readme).toEqual(program.commands.map((command) => [`workrail ${command.name()}`, command.summary()]));
  });

  it("describes the options of every command as the help does", () => {
    const told = tableOf(sectionOf(page, "## Common behaviour"));
    expect(told).toEqual(help.visibleOptions(program).map((option) => [code(help.optionTerm(option)), help.optionDescription(option)]));
  });

  it.each(named(program))("describes %s as its help does", (name, command, level) => {
    const section = sectionOf(page, `${"#".repeat(level + 2)} ${name}`);
    expect(blocksOf(section)[0]?.text).toBe(`${help.commandUsage(command)}\n`);
    const known = parametersOf(command);
    expect(known.length === 0 ? [] : tableOf(section)).toEqual(known);
  });

  it("has every exit code, with its error codes", () => {
    const rows = tableOf(sectionOf(page, "## Exit codes"));
    const told = rows.flatMap(([exitCode, codes = ""]) => codes.split(", ").map((each) => [plain(each), Number(exitCode)] as const));
    expect(Object.fromEntries(told.filter(([each]) => each !== ""))).toEqual(EXIT_CODES);
    expect(told.filter(([each]) => each === "").map(([, exitCode]) => exitCode)).toEqual([0, 130]);
    expect(Object.keys(EXIT_CODES).toSorted()).toEqual(Object.keys(ERROR_CODES).toSorted());
  });
});

describe("docs/reference/cli.md, of what --json prints,", () => {
  const marked = [...page.text.matchAll(/^<!-- (json [^\n]+) -->$/gmu)].map(([, mark = ""]) => mark);

  it("has a table for every command and object, and no other; write-cli-tables.ts renews them", () => {
    expect(marked.toSorted()).toEqual([...jsonTables().keys()].toSorted());
  });

  it.each([...jsonTables()])("says what the schema says: %s", (mark, rows) => {
    const [, behind = ""] = page.text.split(`<!-- ${mark} -->\n`);
    expect(tableOf(behind)).toEqual(rows);
  });

  it.each(sharedAnswers())("leads from workrail %s to the object that it prints", (command, shape) => {
    const level = command.includes(" ") ? "###" : "##";
    expect(sectionOf(page, `${level} workrail ${command}`)).toContain(`](#${shape})`);
  });

  it("names the checks that the doctor makes", async () => {
    const { findings } = await examineInstallation({ env: { WORKRAIL_DATA_DIR: join(tmpdir(), "workrail-of-nobody") } });
    const [, , checks = ""] = sectionOf(page, "## workrail doctor").split(/\n\n(?=\|)/);
    expect(tableOf(checks).map(([check]) => plain(check))).toEqual([...findings.map(({ check }) => check), "host", "server"]);
  });
});

/** Returns every command with its full name and depth. */
function named(parent: Command, level = 0): readonly (readonly [string, Command, number])[] {
  const commands = parent.commands.map((command) => [fullName(command), command, level] as const);
  return commands.flatMap((each) => [each, ...named(each[1], level + 1)]);
}

function fullName(command: Command): string {
  return command.parent === null ? command.name() : `${fullName(command.parent)} ${command.name()}`;
}

function parametersOf(command: Command): readonly (readonly string[])[] {
  return [
    ...command.registeredArguments.map((argument) => {
      const term = help.argumentTerm(argument);
      return [code(argument.required ? `<${term}>` : `[${term}]`), help.argumentDescription(argument)];
    }),
    ...command.options.map((option) => [code(help.optionTerm(option)), help.optionDescription(option)]),
  ];
}

function code(text: string): string {
  return `\`${text}\``;
}
