import { expect, it } from "vitest";
import { markedBlock, readPage } from "./markdown.ts";
import { statusSchema } from "./status-schema.ts";

it("docs/reference/status.md has the schema of the resource", () => {
  const block = markedBlock(readPage("docs/reference/status.md"), "schema workrail://status");
  expect(JSON.parse(block)).toEqual(statusSchema());
});
