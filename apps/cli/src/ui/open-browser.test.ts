import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { useCli } from "../testing/use-cli.ts";
import { BROWSER, NO_BROWSER, useBrowser } from "./testing/use-browser.ts";

const cli = useCli();
const browser = useBrowser();

interface Started {
  readonly link: string;
  readonly cache: string;
  /** The address that the browser was started with. */
  readonly opened: () => Promise<string>;
  readonly stop: () => Promise<number | null>;
}

/** Starts the program with a program in the place of the browser, which notes its argument. */
async function start(): Promise<Started> {
  const [programs, cache] = [join(cli.folder, "programs"), join(cli.folder, "cache")];
  mkdirSync(programs);
  const noted = join(cli.folder, "opened");
  cli.write("../programs/xdg-open", `#!/bin/sh\nprintf '%s\\n' "$1" > '${noted}'\n`);
  chmodSync(join(programs, "xdg-open"), 0o755);
  const env = { ...cli.env, PATH: `${programs}:${process.env["PATH"] ?? ""}`, XDG_CACHE_HOME: cache };
  const child = spawn(process.execPath, [cli.launcher, "ui"], { cwd: cli.project, env, stdio: ["ignore", "pipe", "ignore"] });
  const exited = once(child, "exit");
  const [link] = (await once(createInterface(child.stdout), "line")) as [string];
  return {
    link,
    cache,
    async opened() {
      await expect.poll(() => existsSync(noted) && readFileSync(noted, "utf8").endsWith("\n"), { timeout: 60_000 }).toBe(true);
      return readFileSync(noted, "utf8").trim();
    },
    async stop() {
      child.kill("SIGINT");
      const [code] = (await exited) as [number | null];
      return code;
    },
  };
}

describe.skipIf(process.platform !== "linux")("opening the browser (a program in its place; on Linux)", () => {
  it("keeps the link out of the arguments, in a private file that is removed at the end", async () => {
    await cli.save({ goal: "ship" }, "--session", "shop");
    const ui = await start();
    const address = await ui.opened();
    expect(address).not.toContain("token");
    const file = fileURLToPath(address);
    expect(file.startsWith(ui.cache)).toBe(true);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readFileSync(file, "utf8")).toContain(ui.link);
    expect(await ui.stop()).toBe(0);
    expect(readdirSync(join(file, ".."))).toEqual([]);
  });

  it.skipIf(BROWSER === undefined)(`leads from the file to the page, once (${NO_BROWSER})`, async () => {
    await cli.save({ goal: "ship" }, "--session", "shop");
    const ui = await start();
    const first = await browser.open();
    await first.page.goto(await ui.opened(), { waitUntil: "commit" });
    await first.page.getByRole("link", { name: "shop" }).waitFor();
    expect(first.page.url()).not.toContain("token");
    expect(first.faults.all).toEqual([]);
    const second = await browser.open();
    await second.page.goto(ui.link);
    await second.page.getByText("This link is invalid or was already used.").waitFor();
    await first.page.reload();
    await first.page.getByRole("link", { name: "shop" }).waitFor();
    await ui.stop();
  });
});
