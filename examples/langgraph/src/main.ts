// Kills an agent inside its third node of work, and goes on in another process.
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { runAgent } from "./agent-process.ts";

const folder = mkdtempSync(join(tmpdir(), "workrail-example-"));
try {
  const [dataDir, ledger] = [join(folder, "store"), join(folder, "ledger.txt")];
  const registered = (): readonly string[] => readFileSync(ledger, "utf8").trim().split("\n");

  const killed = await runAgent(dataDir, ledger, "milk.txt");
  const before = registered();
  console.log(`Killed by ${String(killed.signal)} inside the node that registers milk.txt: ${before.join(", ")}.`);

  const resumed = await runAgent(dataDir, ledger);
  console.log(`Resumed in another process with ${resumed.lines[0] ?? "nothing"}: ${registered().slice(before.length).join(", ")}.`);
  console.log(resumed.lines[1] ?? "It did not end.");

  const isOnce = new Set(registered()).size === registered().length;
  console.log(isOnce ? "Each invoice was registered once." : "An invoice was registered twice.");
  process.exitCode = isOnce && killed.signal === "SIGKILL" ? 0 : 1;
} finally {
  rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
}
