import { createServer } from "node:net";

/** Creates a socket that exists as long as this process. */
export function listen(file: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.unref();
    server.once("error", reject);
    server.listen(file, resolve);
  });
}
