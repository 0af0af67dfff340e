import type * as z from "zod";
import { fork, keep, pin, remove, restore, tag } from "./acts.ts";
import { activity } from "./activity.ts";
import type { Call, DataPorts } from "./call.ts";
import { change, changes } from "./changes.ts";
import { context, raw, value } from "./context.ts";
import { conversation } from "./conversation.ts";
import { drift, enough, handoff, resume } from "./resume.ts";
import { search } from "./search.ts";
import { sessions } from "./sessions.ts";
import { storage, usage } from "./storage.ts";
import { sizes, timeline } from "./timeline.ts";

/** All calls of the page. */
export const CALLS = {
  sessions,
  search,
  usage,
  storage,
  activity,
  timeline,
  sizes,
  changes,
  change,
  context,
  value,
  raw,
  drift,
  resume,
  enough,
  handoff,
  conversation,
  pin,
  tag,
  keep,
  remove,
  restore,
  fork,
};

export type CallName = keyof typeof CALLS;

/** The same calls as functions, as the page uses them. */
export type DataApi = {
  readonly [Name in CallName]: (typeof CALLS)[Name] extends Call<infer Schema, infer Answer>
    ? (params: z.input<Schema>) => Promise<Answer>
    : never;
};

export function isCallName(name: string): name is CallName {
  return Object.hasOwn(CALLS, name);
}

/** Checks the parameters of a call and answers it. @throws ZodError for wrong parameters; the errors of the library. */
export async function answerCall(ports: DataPorts, name: CallName, given: unknown): Promise<unknown> {
  const call: Call<z.ZodType, unknown> = CALLS[name];
  return call.run(ports, call.params.parse(given));
}
