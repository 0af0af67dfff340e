import { readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { tally } from "@workrail/faults";
import { describe, expect, it } from "vitest";
import { type CliUnderTest, useCli } from "./testing/use-cli.ts";
import { IS_LONG } from "../../../packages/storage-conformance/test/long-form.ts";

const ID = "c0ffee00-0000-4000-8000-000000000001";
const WORD = "wxqzkvjplainlyreadable";

/** Commands that run afterwards, each in its own process. */
const COMMANDS = [
  ["list"],
  ["show", ID],
  ["status"],
  ["verify"],
  ["search", "plainly"],
  ["load", ID],
  ["sessions"],
  ["log", "other"],
  ["export", "other", "--output", "-"],
  ["save", "--session", "third"],
  ["stats"],
  ["trash", "list"],
  ["repair"],
  ["cleanup", "--yes"],
];
const TIMES = IS_LONG ? 3 : 1;

/** Kills the process when it starts to overwrite the checkpoint's file. */
const KILLS_ITSELF = `
  import fs from "node:fs";
  const { openSync, constants } = fs;
  fs.openSync = (path, flags, ...rest) => {
    if (String(path).endsWith("${ID}.json.gz") && (flags & constants.O_WRONLY) !== 0) process.kill(process.pid, "SIGKILL");
    return openSync(path, flags, ...rest);
  };
`;

const cli = useCli();

async function eraseAndDie(): Promise<void> {
  await cli.save({ note: WORD }, "--session", "work", "--id", ID, "--name", `about ${WORD}`);
  await cli.save({ note: "stays" }, "--session", "other");
  const NODE_OPTIONS = `--import=data:text/javascript,${encodeURIComponent(KILLS_ITSELF)}`;
  const { code, stderr } = await cli.spawn(["delete", ID, "--permanently", "--yes"], { env: { NODE_OPTIONS } });
  expect([code, stderr]).toEqual([null, ""]);
  expect(filesWith(cli, WORD)).not.toEqual([]);
}

/** Returns the files that contain a text, raw or compressed. */
function filesWith({ dataDir }: CliUnderTest, text: string): readonly string[] {
  const files = readdirSync(dataDir, { recursive: true, encoding: "utf8" }).filter((name) => statSync(join(dataDir, name)).isFile());
  return files.filter((name) => {
    const bytes = readFileSync(join(dataDir, name));
    return bytes.includes(text) || (name.endsWith(".gz") && isPacked(bytes) && gunzipSync(bytes).includes(text));
  });
}

/** An overwritten file is no longer gzip. */
function isPacked(bytes: Buffer): boolean {
  return bytes[0] === 0x1f && bytes[1] === 0x8b;
}

describe("an erasure whose process was killed", () => {
  it.each(IS_LONG ? COMMANDS : COMMANDS.slice(0, 4))("is finished by the next command: workrail %s", async (...command) => {
    for (let time = 0; time < TIMES; time++) {
      rmSync(cli.dataDir, { recursive: true, force: true });
      await eraseAndDie();
      await cli.run(command, { input: "{}" });
      const left = filesWith(cli, WORD);
      tally({ tries: 1, dangling: left.length });
      expect(left).toEqual([]);
    }
  });

  it("is named, and not called finished, by commands that may not write", async () => {
    await eraseAndDie();
    const { stdout } = await cli.run(["status", "--read-only", "--json"]);
    expect(JSON.parse(stdout)).toMatchObject({ unfinishedErasures: [ID], warnings: [expect.stringContaining(ID)] });
    const verified = await cli.run(["verify", "--read-only"]);
    expect([verified.code, verified.stdout]).toEqual([14, expect.stringContaining("parts of it are still in the store")]);
    const shown = await cli.run(["show", ID, "--read-only"]);
    expect([shown.code, shown.stderr]).toEqual([10, expect.stringContaining("Its erasure is not finished")]);
    expect(filesWith(cli, WORD)).not.toEqual([]);
    expect((await cli.run(["show", ID])).stderr).toContain("No part of it is left");
    expect((await cli.run(["status", "--read-only"])).stdout).not.toContain(ID);
  });
});
