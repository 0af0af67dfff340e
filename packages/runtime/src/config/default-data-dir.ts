import path from "node:path";
import { homeDirectory } from "@workrail/blob-files";

export type Environment = Readonly<Record<string, string | undefined>>;

/** Returns the default data directory, in the platform's directory for data of a user's programs. */
export function defaultDataDir(env: Environment, platform: NodeJS.Platform): string {
  const home = homeDirectory();
  switch (platform) {
    case "win32":
      return path.join(notEmpty(env["APPDATA"]) ?? path.join(home, "AppData", "Roaming"), "workrail");
    case "darwin":
      return path.join(home, "Library", "Application Support", "workrail");
    default:
      return path.join(absolute(env["XDG_DATA_HOME"]) ?? path.join(home, ".local", "share"), "workrail");
  }
}

function notEmpty(text: string | undefined): string | undefined {
  return text === "" ? undefined : text;
}

/** The XDG specification tells programs to ignore relative paths. */
function absolute(directory: string | undefined): string | undefined {
  return directory !== undefined && path.isAbsolute(directory) ? directory : undefined;
}
