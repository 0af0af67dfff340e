import { spawnSync } from "node:child_process";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";

const MAIN = fileURLToPath(new URL("main.ts", import.meta.url));

it("continues in another process after a kill inside a node", () => {
  const { status, stdout, stderr } = spawnSync(process.execPath, ["--conditions=@workrail/source", MAIN], { encoding: "utf8" });
  expect({ status, stdout, stderr }).toEqual({
    status: 0,
    stderr: "",
    stdout: [
      "Killed by SIGKILL inside the node that registers milk.txt: bread.txt, cheese.txt, milk.txt.",
      "Resumed in another process with 6 messages, next act: honey.txt, salt.txt.",
      "5 invoices are registered.",
      "Each invoice was registered once.",
      "",
    ].join("\n"),
  });
});
