import { isWorkrailError } from "@workrail/core";
import type { HostDefinition } from "./host-definition.ts";
import { readHostFile } from "./read-host-file.ts";
import type { Surroundings } from "./surroundings.ts";

/** Tells whether our plugin already gives a host these entries. An unreadable file counts as off, because the host cannot read it either. */
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
