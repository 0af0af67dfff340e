import os from "node:os";
import path from "node:path";

export type Environment = Readonly<Record<string, string | undefined>>;

/** Where each platform keeps the data of its users' programs. */
export function defaultDataDir(env: Environment, platform: NodeJS.Platform): string {
  const home = os.homedir();
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

/** The XDG specification has relative paths ignored. */
function absolute(directory: string | undefined): string | undefined {
  return directory !== undefined && path.isAbsolute(directory) ? directory : undefined;
}
