import { invalidInput } from "@workrail/core";
import type { Tool } from "./tool.ts";

/** Groups of tools, each by the beginning of its tools' names. */
const TOOLSETS: Readonly<Record<string, string>> = { workflow: "workflow_", project: "checkpoint_", sessions: "store_session" };

/** Names separated by commas. */
export interface Selection {
  readonly toolsets?: string | undefined;
  readonly tools?: string | undefined;
}

/**
 * Returns the tools that a server offers: those of the toolsets, and those that are named. Default: all.
 *
 * @throws INVALID_INPUT for an unknown toolset or tool.
 */
export function selectTools(tools: readonly Tool[], { toolsets, tools: named }: Selection): readonly Tool[] {
  if (toolsets === undefined && named === undefined) return tools;
  const prefixes = namesIn("toolsets", toolsets, Object.keys(TOOLSETS)).map((name) => TOOLSETS[name] ?? "");
  const single = namesIn(
    "tools",
    named,
    tools.map(({ name }) => name),
  );
  return tools.filter(({ name }) => single.includes(name) || prefixes.some((prefix) => name.startsWith(prefix)));
}

function namesIn(setting: string, text: string | undefined, known: readonly string[]): readonly string[] {
  const names = (text ?? "").split(",").map((name) => name.trim());
  const unknown = names.find((name) => name !== "" && !known.includes(name));
  if (unknown === undefined) return names.filter((name) => name !== "");
  throw invalidInput(setting, `${setting} has ${JSON.stringify(unknown)}, which does not exist.`, `There are: ${known.join(", ")}.`);
}
