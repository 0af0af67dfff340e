import { readFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import type { SaveCheckpointResult } from "@workrail/runtime";
import { describe, expect, it } from "vitest";
import { useCli } from "../testing/use-cli.ts";

const cli = useCli();

/** JSON that a careless parse or write would change. */
const HARD = String.raw`{"z":1,"a":{"__proto__":{"x":1},"constructor":2,"a/b~c":3},"e\u0301":"é","lone":"\ud800","n":[1e+21,0.1,-0,1],"":"","ctl":"\u0001\u009b"}`;

describe("workrail load", () => {
  it("returns exactly the saved context", async () => {
    // The output of `JSON.stringify` is the stored text.
    const text = JSON.stringify(JSON.parse(HARD));
    await cli.output(["save", "--id", "cp-1"], { input: `\ufeff\n ${HARD} \n` });
    expect(await cli.output(["load", "cp-1"])).toBe(text);
    const resaved = await cli.run(["save", "--id", "cp-1", "--session", "other"], { input: text });
    expect(resaved.code).toBe(16);
  });

  it("loads by argument, --checkpoint, or --session", async () => {
    await cli.save({ a: 1 }, "--session", "s", "--id", "cp-1");
    await cli.save({ a: 2 }, "--session", "s", "--id", "cp-2");
    expect(await cli.output(["load", "cp-1"])).toBe('{"a":1}');
    expect(await cli.output(["load", "--checkpoint", "cp-1"])).toBe('{"a":1}');
    expect(await cli.output(["load", "--session", "s"])).toBe('{"a":2}');
    expect(await cli.output(["load", "--session", "s", "--json"])).toBe('{"a":2}');
  });

  it("prints the text in the checkpoint's file", async () => {
    const { blobPath } = await cli.json<SaveCheckpointResult>(["save", "--id", "cp-1"], { input: HARD });
    const file = gunzipSync(readFileSync(join(cli.dataDir, blobPath))).toString();
    const loaded = await cli.output(["load", "cp-1"]);
    expect(file.split("\n")[1]).toBe(`"context":${loaded}}`);
    expect((JSON.parse(file) as { context: unknown }).context).toEqual(JSON.parse(loaded));
  });

  it.skipIf(process.platform === "win32")(
    "streams a large context into a file, and out of it again (skipped on Windows: needs sh)",
    async () => {
      const text = JSON.stringify({ lines: Array.from({ length: 20_000 }, (_, n) => `line ${n}`) });
      cli.write("large.json", text);
      const line = "workrail save large.json --id large && workrail load large > out.json && workrail load large | workrail save --id copy";
      expect(await cli.shell(line)).toMatchObject({ code: 0 });
      expect(readFileSync(join(cli.project, "out.json"), "utf8")).toBe(text);
      expect(await cli.output(["load", "copy"])).toBe(text);
    },
  );

  it.each([[[]], [["cp-1", "--checkpoint", "cp-1"]]])("needs exactly one checkpoint (%j)", async (args) => {
    const { code, stderr } = await cli.run(["load", ...args]);
    expect(code).toBe(2);
    expect(stderr).toMatch(/^INVALID_INPUT: .+\n {2}Give one checkpoint's id, or --session/u);
  });

  it("resolves an id prefix in the named session", async () => {
    await cli.save({ of: "one" }, "--session", "one", "--id", "cp-one");
    await cli.save({ of: "two" }, "--session", "two", "--id", "cp-two");
    expect(await cli.output(["load", "cp-o", "--session", "one"])).toBe('{"of":"one"}');
    expect(await cli.run(["load", "cp-o", "--session", "two"])).toMatchObject({
      code: 10,
      stderr: expect.stringMatching(/^CHECKPOINT_NOT_FOUND/u),
    });
  });
});
