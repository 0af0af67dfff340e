import { expect, it } from "vitest";
import { storeStatusSchema } from "../../../apps/mcp-server/src/resources/store-status.ts";
import { toObjectSchema } from "../../../apps/mcp-server/src/tool-listing.ts";
import { markedBlock, readPage } from "./markdown.ts";

it("docs/reference/status.md has the schema of the resource", () => {
  const block = markedBlock(readPage("docs/reference/status.md"), "schema workrail://status");
  expect(JSON.parse(block)).toEqual(toObjectSchema(storeStatusSchema, "output"));
});
