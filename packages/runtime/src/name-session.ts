import type { Context } from "@workrail/core";

/** Finds the goal of a context, by which a session is named. Its words are loaded with the first save. */
export async function nameSession(context: Context): Promise<string | undefined> {
  const { goalOf } = await import("@workrail/views/handoff-part");
  return goalOf(context);
}
