import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { expect, it } from "vitest";
import { ServerProcess, TestHome } from "./testing/server-process.ts";

const SAVE = "workflow_checkpoint_save";
const LOAD = "workflow_checkpoint_load";
const WORD = "wxqzkvjplainlyreadable";

/** Kills the server when it starts to overwrite a checkpoint's file. */
const KILLS_ITSELF = `
  import fs from "node:fs";
  const { openSync, constants } = fs;
  fs.openSync = (path, flags, ...rest) => {
    if (String(path).endsWith(".json.gz") && (flags & (constants.O_WRONLY | constants.O_CREAT)) === constants.O_WRONLY) process.kill(process.pid, "SIGKILL");
    return openSync(path, flags, ...rest);
  };
`;

it("finishes an erasure of a killed process before its own first answer", async () => {
  await using home = await TestHome.create();
  let checkpointId = "";
  {
    await using server = await ServerProcess.start({
      home,
      nodeOptions: ["--import", `data:text/javascript,${encodeURIComponent(KILLS_ITSELF)}`],
    });
    checkpointId = String((await server.ok(SAVE, { sessionId: "work", context: { note: WORD } }))["checkpointId"]);
    await expect(server.call("checkpoint_delete", { id: checkpointId })).rejects.toThrow("closed");
  }
  expect(filesWith(home.dataDir, WORD)).not.toEqual([]);
  await using server = await ServerProcess.start({ home });
  const failure = await server.fails(LOAD, { checkpointId });
  await server.kill();
  expect(failure).toMatchObject({ code: "CHECKPOINT_NOT_FOUND", details: { reason: "erased" } });
  expect(failure.text).toContain("No part of it is left");
  expect(filesWith(home.dataDir, WORD)).toEqual([]);
});

/** Returns the files that contain a text, raw or compressed. */
function filesWith(directory: string, text: string): readonly string[] {
  const files = readdirSync(directory, { recursive: true, encoding: "utf8" }).filter((name) => statSync(join(directory, name)).isFile());
  return files.filter((name) => {
    const bytes = readFileSync(join(directory, name));
    return bytes.includes(text) || (bytes[0] === 0x1f && bytes[1] === 0x8b && gunzipSync(bytes).includes(text));
  });
}
