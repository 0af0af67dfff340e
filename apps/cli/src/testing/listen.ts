import { createServer } from "node:net";

/** Makes a socket, which goes with this process. */
export function listen(file: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.unref();
    server.once("error", reject);
    server.listen(file, resolve);
  });
}
