import { spawnSync } from "node:child_process";
import { expect, it } from "vitest";

it("reads keys with escapes in a program that made thousands of shapes before it loaded this", () => {
  // V8 keeps at most some 1,500 shapes that begin alike, and hides its bug for others.
  const program = String.raw`
    const kept = [JSON.parse('[{",":0,"\\\\":0}]')];
    for (let index = 0; index < 5_000; index++) kept.push(JSON.parse('{"key ' + index + '":0,"b":1}'));
    const { parseJson } = await import(${JSON.stringify(new URL("parse-json.ts", import.meta.url).href)});
    process.stdout.write(JSON.stringify(parseJson('[{",":0,"\\n":0}]')) + kept.length);`;
  const node = spawnSync(process.execPath, ["--conditions=@workrail/source", "--input-type=module", "-e", program]);
  expect(node.stdout.toString()).toBe(String.raw`[{",":0,"\n":0}]5001`);
});
