import { spawnSync } from "node:child_process";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";

const PROGRAM = fileURLToPath(new URL("hand-over.ts", import.meta.url));

it("has an agent of another SDK go on from a handoff, with its goal, its prohibition and its progress", () => {
  const { status, stdout, stderr } = spawnSync(process.execPath, ["--conditions=@workrail/source", PROGRAM], { encoding: "utf8" });
  expect({ status, stdout, stderr }).toEqual({
    status: 0,
    stderr: "",
    stdout: [
      "The first agent registered bread.txt and cheese.txt.",
      "The second agent registered milk.txt and honey.txt.",
      "All 4 invoices are registered.",
      "",
    ].join("\n"),
  });
});
