import { once } from "node:events";
import { mkdirSync, writeFileSync } from "node:fs";
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { runServer } from "verdaccio";

/** A registry of npm on this machine that knows only the packages published to it. */
export interface LocalRegistry {
  /** A file with npm's configuration for this registry. */
  readonly npmrc: string;
  stop(): Promise<void>;
}

/** Starts a registry in this process, with its data in a folder. */
export async function startRegistry(folder: string): Promise<LocalRegistry> {
  const storage = join(folder, "storage");
  mkdirSync(storage, { recursive: true });
  const server = (await runServer({
    self_path: folder,
    storage,
    auth: { htpasswd: { file: join(storage, "htpasswd") } },
    // Nothing is fetched from elsewhere.
    uplinks: {},
    packages: { "**": { access: "$all", publish: "$all" } },
    max_body_size: "100mb",
    web: { enable: false },
    log: { type: "stdout", format: "json", level: "fatal" },
  })) as Server;
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const npmrc = join(folder, "npmrc");
  // npm publishes only with a token, which this registry does not check.
  const lines = [
    `registry=http://127.0.0.1:${port}/`,
    `//127.0.0.1:${port}/:_authToken=none`,
    "fund=false",
    "audit=false",
    "update-notifier=false",
  ];
  writeFileSync(npmrc, `${lines.join("\n")}\n`);
  return {
    npmrc,
    async stop() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}
