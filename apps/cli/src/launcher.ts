// Runs on any Node, however old: uses only syntax and modules of Node 18, and imports only our version. An import of `node:fs` would load
// streams, which takes half the time of Node's own start.
import manifest from "../package.json" with { type: "json" };
import { lightPart } from "./light-part.ts";

const OLDEST_NODE = 22;

async function launch(): Promise<void> {
  const running = process.versions.node;
  // The database driver's binary crashes an older Node, so nothing else is loaded there.
  if (Number.parseInt(running, 10) < OLDEST_NODE) {
    process.stderr.write(`workrail needs Node ${OLDEST_NODE} or newer; this is Node ${running}.\n`);
    // A hook never fails the host that runs it.
    process.exitCode = process.argv[2] === "hook" ? 0 : 1;
    return;
  }
  // The fast path answers without the program. With other options the program gives the same answer.
  if (process.argv.length === 3 && process.argv[2] === "--version") {
    process.stdout.write(`${manifest.version}\n`);
    return;
  }
  // Node before 22.3 lacks this function, and the bundle loads built-in modules through it.
  if (!("getBuiltinModule" in process)) {
    const { createRequire } = await import("node:module");
    Object.assign(process, { getBuiltinModule: createRequire(import.meta.url) });
  }
  const light = lightPart(process.argv.slice(2));
  if (light === undefined) {
    await load("./compile-cache.mjs");
    await load("./cli.mjs");
  } else {
    const { runLight } = (await load("./run-light.mjs")) as { readonly runLight: (url: string, use: string) => void };
    runLight(new URL(light, import.meta.url).href, process.argv[3] ?? "");
  }
}

/** The compiler does not know the files: the bundler puts the programs beside the launcher. */
async function load(part: string): Promise<unknown> {
  return import(new URL(part, import.meta.url).href);
}

await launch();
