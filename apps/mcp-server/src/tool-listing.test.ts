import { describe, expect, it } from "vitest";
import * as z from "zod";
import { fixtureTools } from "./testing/fixture-tools.ts";
import { findCatalogueFaults, listTool } from "./tool-listing.ts";
import type { Tool } from "./tool.ts";

const [echo] = fixtureTools as readonly [Tool];

describe("listTool", () => {
  it("describes input and output in plain JSON Schema, without noise, and without redundant checks", () => {
    const { inputSchema, outputSchema } = listTool(echo);
    expect(inputSchema).toEqual({
      type: "object",
      properties: {
        userContext: { type: "object", description: "Comes back as it is" },
        max_items: { type: "integer", description: "Ignored" },
        mode: { type: "string", enum: ["plain", "fancy"], description: "Ignored" },
        tags: { type: "array", items: { type: "string" }, description: "Ignored" },
        paths: {
          type: "array",
          items: { anyOf: [{ type: "string" }, { type: "array", items: { type: "string" } }] },
          description: "Ignored",
        },
      },
      required: ["userContext"],
    });
    expect(outputSchema).toEqual({
      type: "object",
      properties: {
        userContext: { type: "object", description: "What came" },
        client: { type: "string", description: "Who called" },
      },
      required: ["userContext", "client"],
    });
  });
});

describe("listTool, for a value of several types", () => {
  it("lists them as a choice of schemas, which every client accepts", () => {
    const input = z.strictObject({
      path: z.array(z.union([z.string(), z.int()])).describe("Keys and indexes"),
      parent: z.string().nullable().describe("An id, or none"),
    });
    expect(listTool({ ...echo, input }).inputSchema.properties).toEqual({
      path: { type: "array", items: { anyOf: [{ type: "string" }, { type: "integer" }] }, description: "Keys and indexes" },
      parent: { anyOf: [{ type: "string" }, { type: "null" }], description: "An id, or none" },
    });
  });
});

describe("listTool, for an object within an input", () => {
  it("leaves its fields to the description", () => {
    const range = z.strictObject({ offset: z.int().min(0).optional() }).describe("{offset}: where to begin");
    expect(listTool({ ...echo, input: z.strictObject({ range }) }).inputSchema.properties).toEqual({
      range: { type: "object", description: "{offset}: where to begin" },
    });
  });
});

describe("findCatalogueFaults", () => {
  it("finds none in a sound catalogue", () => {
    expect(findCatalogueFaults(fixtureTools)).toEqual([]);
  });

  it("finds faults that would make hosts hide a tool or lose its answers", () => {
    const bad: Tool = {
      ...echo,
      name: "has a space",
      input: z.object({ undescribed: z.string() }),
      output: z.strictObject({}),
    };
    expect(findCatalogueFaults([bad, bad])).toEqual(
      expect.arrayContaining([
        "has a space: hosts do not offer a tool of this name",
        "has a space: the name is used twice",
        "has a space: inputSchema.undescribed has no description",
        "has a space: the input must be strict",
        "has a space: the output must be open, or a later field breaks clients",
      ]),
    );
  });
});
