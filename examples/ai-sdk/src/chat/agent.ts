import process from "node:process";
import { tool } from "ai";
import { z } from "zod";
import { scriptedModel } from "../scripted-model.ts";

const TURNS = [{ tool: "weather", input: { city: "Berlin" } }, { tool: "weather", input: { city: "Rome" } }, "Rome is warmer."];

/** Stands for your model. With `HANG_AT` it never answers that turn, for the test that kills the server. */
export const model = scriptedModel(TURNS, async (turn) => {
  if (String(turn) === process.env["HANG_AT"]) await new Promise(() => undefined);
});

export const tools = {
  weather: tool({
    description: "Tells the weather.",
    inputSchema: z.object({ city: z.string() }),
    execute: ({ city }) => ({ city, degrees: city === "Rome" ? 24 : 11 }),
  }),
};
