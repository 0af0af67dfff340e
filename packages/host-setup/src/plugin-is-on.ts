import { isWorkrailError } from "@workrail/core";
import type { HostDefinition } from "./host-definition.ts";
import { readHostFile } from "./read-host-file.ts";
import type { Surroundings } from "./surroundings.ts";

/** Whether a plugin of ours brings a host the same entries. A file that cannot be read turns nothing on, for the host reads nothing of it either. */
export function pluginIsOn({ pluginFiles }: HostDefinition, surroundings: Surroundings): boolean {
  return (pluginFiles?.(surroundings) ?? []).some(({ file, isOn }) => {
    try {
      const { text } = readHostFile(file);
      return text !== undefined && text.trim() !== "" && isOn(text);
    } catch (error) {
      if (isWorkrailError(error)) return false;
      throw error;
    }
  });
}
