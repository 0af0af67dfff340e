import { WebStandardStreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js";
import { accessIn, type McpHandler } from "../http/http-app.ts";
import type { OfferFor } from "../http/serve-http.ts";
import { createSdkV1Server } from "../sdk-v1-server.ts";

/** Serves each request by version 1 of the MCP library, as `createMcpHandler` of version 2 does. */
export function handlerV1(offerFor: OfferFor): McpHandler {
  return {
    async fetch(request, { parsedBody, authInfo }) {
      if (request.method !== "POST") return new Response(null, { status: 405, headers: { Allow: "POST" } });
      const transport = new WebStandardStreamableHTTPServerTransport();
      await createSdkV1Server(offerFor(accessIn(authInfo))).connect(transport);
      return transport.handleRequest(request, { parsedBody });
    },
    close: async () => {},
  };
}
