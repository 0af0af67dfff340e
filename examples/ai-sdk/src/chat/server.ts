// Serves the route, as Next would. Prints its address.
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { Readable } from "node:stream";
import { GET, POST } from "./route.ts";

const server = createServer((incoming, outgoing) => {
  const request = new Request(`http://localhost${incoming.url ?? "/"}`, {
    method: incoming.method ?? "GET",
    ...(incoming.method === "POST" ? { body: Readable.toWeb(incoming) as ReadableStream, duplex: "half" } : {}),
  });
  void answer(request, outgoing);
});

async function answer(request: Request, outgoing: ServerResponse): Promise<void> {
  const response = await (request.method === "POST" ? POST(request) : GET(request));
  outgoing.writeHead(response.status, Object.fromEntries(response.headers));
  if (response.body === null) outgoing.end();
  else Readable.fromWeb(response.body).pipe(outgoing);
}

server.listen(0, "127.0.0.1", () => console.log(`http://127.0.0.1:${(server.address() as AddressInfo).port}/api/chat`));
