import type { ModelMessage } from "ai";

export type MessagePart = Exclude<ModelMessage["content"], string>[number];

/** Returns the parts of a message. One that is a mere text has none. */
export function partsOf({ content }: ModelMessage): readonly MessagePart[] {
  return typeof content === "string" ? [] : content;
}
