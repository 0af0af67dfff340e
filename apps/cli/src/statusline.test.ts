import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import process from "node:process";
import { describe, expect, it } from "vitest";
import { useCli } from "./testing/use-cli.ts";

const cli = useCli();
const SESSION = "7b1d1f6c-34b8-450e-82e8-700ac148aa5f";

/** The JSON that the host sends to hooks and to the status line, and a transcript with one prompt. */
function payload(): string {
  const transcript = path.join(cli.folder, `${SESSION}.jsonl`);
  const prompt = { type: "user", uuid: "1", parentUuid: null, sessionId: SESSION, message: { role: "user", content: "Mend the login." } };
  writeFileSync(transcript, `${JSON.stringify(prompt)}\n`);
  return JSON.stringify({ session_id: SESSION, transcript_path: transcript, cwd: cli.project });
}

describe("workrail statusline", () => {
  it("shows a hook's save, with the host's JSON and without", async () => {
    mkdirSync(path.join(cli.project, ".git"));
    const input = payload();
    expect(await cli.run(["statusline"], { input })).toEqual({ code: 0, stdout: "workrail: nothing saved yet\n", stderr: "" });
    expect(existsSync(cli.dataDir)).toBe(false);
    await cli.output(["hook", "stop", "--host", "claude-code"], { input });
    const before = readdirSync(cli.dataDir, { recursive: true });
    for (const given of [input, "", "{"]) {
      expect(await cli.run(["statusline"], { input: given })).toEqual({
        code: 0,
        stdout: "workrail: saved just now · 1 save\n",
        stderr: "",
      });
    }
    expect(readdirSync(cli.dataDir, { recursive: true })).toEqual(before);
  });

  it("answers although the host does not close standard input", async () => {
    const child = spawn(process.execPath, [cli.launcher, "statusline"], { env: cli.env, stdio: ["pipe", "pipe", "inherit"] });
    const [code] = (await once(child, "close")) as [number];
    expect(code).toBe(0);
  });

  it("exits with 0 and gives the reason when the state cannot be read", async () => {
    mkdirSync(path.join(cli.dataDir, "hooks", "runs.jsonl"), { recursive: true });
    expect(await cli.run(["statusline"])).toEqual({ code: 0, stdout: "workrail: the state cannot be read (EISDIR)\n", stderr: "" });
  });

  it("loads nothing of the store", async () => {
    const note = path.join(cli.folder, "note.cjs");
    writeFileSync(note, 'process.once("exit", () => require("node:fs").writeSync(2, process.moduleLoadList.join("\\n")));');
    const { stderr } = await cli.run(["statusline"], { input: payload(), env: { NODE_OPTIONS: `--require "${note}"` } });
    for (const name of ["crypto", "zlib", "sqlite", "child_process"]) expect(stderr.split("\n")).not.toContain(`NativeModule ${name}`);
  });

  it.each(["hook", "statusline"])("explains %s in its help, and that it comes first", async (command) => {
    expect(await cli.output([command, "--help"])).toContain(`Usage: workrail ${command}`);
    expect(await cli.output(["complete", "--", command.slice(0, 3)])).toContain(command);
    const { code, stderr } = await cli.run(["--read-only", command, ...(command === "hook" ? ["stop"] : [])]);
    expect(code).toBe(2);
    expect(stderr).toContain("must be the first word");
  });
});
