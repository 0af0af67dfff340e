import { mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { ANSWERS } from "../json/answers.ts";
import { buildProgram } from "../program.ts";
import { commandsIn } from "../testing/commands-in.ts";
import { copyFolder } from "../testing/copy-folder.ts";
import { useCli } from "../testing/use-cli.ts";
import { GOLDEN_CASES } from "./cases.ts";
import { prepareStore } from "./prepared-store.ts";
import { HAS_TERMINAL, transcribe, transcribeTerminal } from "./transcript.ts";
import { IS_LONG } from "../../../../packages/storage-conformance/test/long-form.ts";

const EXPECTED = fileURLToPath(new URL("expected", import.meta.url));
const COMMANDS = commandsIn(buildProgram());

const ON_TERMINAL = Object.entries(GOLDEN_CASES)
  .map(([command, cases]) => [command, cases.filter(({ typed }) => typed !== undefined)] as const)
  .filter(([, cases]) => cases.length > 0);

/** Length of the folder's path: column widths and cut texts depend on it. */
const FOLDER_LENGTH = "/tmp/workrail-cli-XXXXXX".length;

const cli = useCli();
/** Directory of every case's store. Checkpoints store their project's path, so it must be the same folder each time. */
let home: string;
let prepared: string;

beforeAll(async () => {
  home = folderOfThatLength();
  prepared = mkdtempSync(join(tmpdir(), "workrail-golden-"));
  mkdirSync(join(home, "project"));
  await prepareStore(join(home, "data"), join(home, "project"));
  copyFolder(home, prepared);
});

beforeEach(() => {
  rmSync(cli.folder, { recursive: true });
  cli.folder = home;
});

afterAll(() => {
  for (const folder of [home, prepared]) rmSync(folder, { recursive: true, force: true });
});

describe.skipIf(process.platform === "win32")("golden files (not on Windows, where paths have another form)", () => {
  it("exist for every command, and for nothing else", () => {
    expect(Object.keys(GOLDEN_CASES)).toEqual(COMMANDS);
    const onTerminal = ON_TERMINAL.map(([command]) => fileOf(command, ".terminal"));
    expect(readdirSync(EXPECTED).toSorted()).toEqual([...COMMANDS.map((command) => fileOf(command)), ...onTerminal].toSorted());
  });

  it.each(Object.entries(GOLDEN_CASES))("hold the output of: workrail %s", async (command, cases) => {
    const transcripts: string[] = [];
    for (const each of cases) transcripts.push(await transcribe({ cli, prepared, checkJson, isTerminalReal: IS_LONG }, command, each));
    await expect(transcripts.join("\n")).toMatchFileSnapshot(join(EXPECTED, fileOf(command)));
  });

  describe.skipIf(!HAS_TERMINAL)("on a terminal (skipped where `script` of util-linux is missing)", () => {
    it.each(ON_TERMINAL)("hold the screen of: workrail %s", async (command, cases) => {
      const transcripts: string[] = [];
      for (const each of cases)
        transcripts.push(await transcribeTerminal({ cli, prepared, checkJson, isTerminalReal: IS_LONG }, command, each));
      await expect(transcripts.join("\n")).toMatchFileSnapshot(join(EXPECTED, fileOf(command, ".terminal")));
    });
  });
});

/** Creates a folder of that path length: in the system's directory for temporary files, unless its path is too long. */
function folderOfThatLength(): string {
  const leftIn = (parent: string): number => FOLDER_LENGTH - parent.length - "/XXXXXX".length;
  const own = realpathSync(tmpdir());
  const parent = process.platform === "win32" || leftIn(own) > 0 ? own : realpathSync("/tmp");
  return realpathSync(mkdtempSync(join(parent, "workrail-cli-".slice(0, Math.max(1, leftIn(parent))))));
}

function checkJson(command: string, json: unknown): void {
  const answer = ANSWERS[command];
  if (answer === undefined) throw new Error(`There is no schema of what workrail ${command} --json prints.`);
  const { success, error } = answer.safeParse(json);
  if (!success) throw new Error(`workrail ${command} --json prints something else than documented: ${error.message}`);
}

function fileOf(command: string, kind = ""): string {
  return `${command.replaceAll(" ", "-")}${kind}.txt`;
}
