import { WorkrailError } from "@workrail/core";

/** The error for a small program whose name follows options: the launcher looks only at the first word. */
export function nameNotFirst(command: string): WorkrailError {
  return new WorkrailError("INVALID_INPUT", `${command} must be the first word of the command line.`, {
    hint: "Settings for it are environment variables, such as WORKRAIL_DATA_DIR.",
  });
}
