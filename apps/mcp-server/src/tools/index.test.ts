import { countTokens } from "gpt-tokenizer/encoding/o200k_base";
import { describe, expect, it } from "vitest";
import { LazyStore } from "../lazy-store.ts";
import { findCatalogueFaults, listTool } from "../tool-listing.ts";
import { createTools } from "./index.ts";

/** Tokens of all tools, which a host pays for in every request. */
const MOST_TOKENS = 2_000;
/** Reserved for a future tool: handing over. */
const RESERVED_TOKENS = 110;

const tools = createTools(new LazyStore(() => Promise.reject(new Error("no tool is called here"))));
const listings = tools.map(listTool);

describe("the catalogue", () => {
  it("has no fault that would make hosts hide a tool", () => {
    expect(findCatalogueFaults(tools)).toEqual([]);
  });

  it("is this one, and whoever changes it changes it on purpose", () => {
    expect(listings).toMatchSnapshot();
  });

  it(`costs at most ${MOST_TOKENS - RESERVED_TOKENS} of ${MOST_TOKENS} tokens (o200k) of names, descriptions and input schemas`, () => {
    const costs = listings.map(({ name, description, inputSchema }) => ({
      name,
      tokens: countTokens(JSON.stringify({ name, description, inputSchema })),
    }));
    const total = countTokens(JSON.stringify(listings.map(({ name, description, inputSchema }) => ({ name, description, inputSchema }))));
    process.stdout.write(`tool list: ${total} tokens (${costs.map(({ name, tokens }) => `${name} ${tokens}`).join(", ")})\n`);
    expect(total + RESERVED_TOKENS).toBeLessThanOrEqual(MOST_TOKENS);
  });

  it("loads save, load and resume into every request of hosts that defer tools, and no more", () => {
    const always = listings.filter(({ _meta }) => _meta?.["anthropic/alwaysLoad"] === true).map(({ name }) => name);
    expect(always).toEqual(["workflow_checkpoint_save", "workflow_checkpoint_load", "workflow_resume"]);
  });

  it("says of each tool whether it only reads", () => {
    const readers = listings.filter(({ annotations }) => annotations.readOnlyHint).map(({ name }) => name);
    expect(readers).toEqual([
      "workflow_checkpoint_load",
      "workflow_checkpoint_list",
      "workflow_resume",
      "checkpoint_search",
      "checkpoint_list",
      "checkpoint_get",
    ]);
  });
});
