import { describe, expect, it } from "vitest";
import { LazyStore } from "../lazy-store.ts";
import { tokensOf } from "../testing/answer-size.ts";
import { findCatalogueFaults, listTool } from "../tool-listing.ts";
import { createTools } from "./index.ts";

/** Most tokens of names, descriptions and inputs of all tools, which a host pays for in every request. */
const MOST_TOKENS = 1_500;
/** The same with the schemas of the answers, which some hosts send too. */
const MOST_WITH_OUTPUTS = 4_000;

const tools = createTools(new LazyStore(() => Promise.reject(new Error("no tool is called here"))));
const listings = tools.map(listTool);

describe("the catalogue", () => {
  it("has no fault that would make hosts hide a tool", () => {
    expect(findCatalogueFaults(tools)).toEqual([]);
  });

  it("equals the snapshot, so that changes are deliberate", () => {
    expect(listings).toMatchSnapshot();
  });

  it(`costs at most ${MOST_TOKENS} tokens (o200k), and ${MOST_WITH_OUTPUTS} with output schemas`, () => {
    const inputs = listings.map(({ name, description, inputSchema }) => ({ name, description, inputSchema }));
    const all = listings.map(({ name, description, inputSchema, outputSchema }) => ({ name, description, inputSchema, outputSchema }));
    const costs = inputs.map((tool) => `${tool.name} ${tokensOf(JSON.stringify(tool))}`);
    const [ofInputs, ofAll] = [tokensOf(JSON.stringify(inputs)), tokensOf(JSON.stringify(all))];
    process.stdout.write(`tool list: ${ofInputs} tokens, with output schemas ${ofAll} (${costs.join(", ")})\n`);
    expect(ofInputs).toBeLessThanOrEqual(MOST_TOKENS);
    expect(ofAll).toBeLessThanOrEqual(MOST_WITH_OUTPUTS);
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
