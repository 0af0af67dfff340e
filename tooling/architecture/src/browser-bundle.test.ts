import { createHash } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import vm from "node:vm";
import { rolldown } from "rolldown";
import { afterAll, describe, expect, it } from "vitest";
import { ROOT } from "./workspace.ts";

const folder = fs.mkdtempSync(path.join(ROOT, "tooling", "architecture", ".browser-"));
afterAll(() => fs.rmSync(folder, { recursive: true, force: true }));

/** Program that saves to memory and loads; the page provides the digests. */
const PROGRAM = `
import { BackgroundQueue, chained, DEFAULT_LIMITS, loadCheckpoint, saveCheckpoint } from "@workrail/core";
import { wordClassifier } from "@workrail/classifier";
import { gzipCodec } from "@workrail/codecs/pako";
import { openMemoryStorage } from "@workrail/memory";

const log = { debug() {}, info() {}, warn() {}, error() {} };

export async function saveAndLoad(digests, context) {
  const storage = chained(openMemoryStorage(), (text) => digests.sha256(text));
  let next = 0;
  const ids = { sessionId: () => "s" + ++next, checkpointId: () => "c" + ++next };
  const ports = {
    ...storage, storage, codec: gzipCodec, classifier: wordClassifier, digests, ids, log, clock: { now: () => new Date() }, limits: DEFAULT_LIMITS,
    writer: "page", background: new BackgroundQueue(log), onLoaded() {},
  };
  await saveCheckpoint(ports, { sessionId: "s", context });
  return (await loadCheckpoint(ports, { sessionId: "s" })).context;
}
`;

interface Page {
  readonly saveAndLoad: (digests: object, context: object) => Promise<object>;
}

interface Bundled {
  readonly code: string;
  readonly imports: readonly string[];
}

async function bundled(program: string): Promise<Bundled> {
  const input = path.join(folder, "page.mjs");
  fs.writeFileSync(input, program);
  const bundle = await rolldown({
    input,
    platform: "browser",
    resolve: { conditionNames: ["@workrail/source", "browser", "import", "default"] },
  });
  const { output } = await bundle.generate({ format: "iife", name: "page", minify: true, codeSplitting: false });
  await bundle.close();
  const [{ code, imports }] = output;
  return { code, imports };
}

/** Runs a bundle with only the language and a few globals of every browser. */
function run(code: string): Page {
  const globals = { TextEncoder, TextDecoder, setTimeout, clearTimeout, performance, AbortController, structuredClone, queueMicrotask };
  return vm.runInNewContext(`${code}\npage;`, globals) as Page;
}

describe("a page in a browser", () => {
  it("saves and loads with core, memory and a codec, without Node modules", async () => {
    const { code, imports } = await bundled(PROGRAM);
    expect(imports).toEqual([]);
    expect(code).not.toMatch(/\bnode:[a-z]/u);
    const { saveAndLoad } = run(code);
    const digests = { sha256: (data: string | Uint8Array) => createHash("sha256").update(data).digest("hex") };
    const context = { goal: "go on", notes: ["a", { b: null }] };
    expect(JSON.stringify(await saveAndLoad(digests, context))).toBe(JSON.stringify(context));
  });
});
