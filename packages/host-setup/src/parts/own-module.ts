import { type HostPart, NO_FINDINGS } from "../host-part.ts";
import { refusal } from "../json/json-text.ts";

export interface OwnModule {
  readonly file: string;
  /** A text in the first line that marks the module as ours. */
  readonly mark: string;
  readonly text: string;
  readonly events: readonly string[];
}

/** The program that such a module calls, as a list of words. */
const COMMAND_LINE = /^const COMMAND = (\[.*\]);$/mu;

/** A file that is entirely ours: a module that a host loads from its folder of plugins. */
export function ownModule({ file, mark, text, events }: OwnModule): HostPart {
  const isOurs = (found: string): boolean => found.split("\n", 1)[0]?.includes(mark) === true;
  return {
    kind: "hooks",
    file,
    entries: `plugin that calls the hooks at ${events.join(", ")}`,
    add(found) {
      if (found === undefined || isOurs(found)) return text;
      throw refusal(file, "it is another plugin of the same name", { hint: "Rename that plugin first." });
    },
    remove: (found) => (isOurs(found) ? undefined : found),
    isLeftOver: () => false,
    inspect: (found) => (isOurs(found) ? { events, commands: [commandIn(found)] } : NO_FINDINGS),
  };
}

function commandIn(module: string): string {
  const [, words = "[]"] = COMMAND_LINE.exec(module) ?? [];
  return `${words} hook`;
}
