import { WorkrailError } from "@workrail/core";

/** For a light program whose name stands behind options: the launcher looks at the first word alone. */
export function mustComeFirst(command: string): WorkrailError {
  return new WorkrailError("INVALID_INPUT", `${command} must be the first word of the command line.`, {
    hint: "Settings for it are environment variables, such as WORKRAIL_DATA_DIR.",
  });
}
