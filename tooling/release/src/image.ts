import { readFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "./public-packages.ts";

/** The parts of the Dockerfile that say how its program is installed and run. */
export interface Image {
  /** Arguments of `npm install` before the name of the package. */
  readonly installArgs: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly volume: string;
  readonly workdir: string;
  readonly entrypoint: readonly [program: string, ...args: string[]];
}

/** Reads the Dockerfile. @throws when a part is missing. */
export function readImage(): Image {
  const text = readFileSync(join(ROOT, "Dockerfile"), "utf8");
  const given = (pattern: RegExp): string => {
    const [, found] = pattern.exec(text) ?? [];
    if (found === undefined) throw new Error(`The Dockerfile has no line like ${pattern.source}.`);
    return found;
  };
  const lines = [...text.matchAll(/^ENV (\w+)=(.+)$/gmu)].map(([, name = "", value = ""]) => [name, value] as const);
  return {
    installArgs: given(/^RUN npm install (.+?) "@workrail\/mcp-server@/mu).split(" "),
    env: Object.fromEntries(lines),
    volume: given(/^VOLUME (.+)$/mu),
    workdir: given(/^WORKDIR (.+)$/mu),
    entrypoint: JSON.parse(given(/^ENTRYPOINT (\[.+\])$/mu)) as Image["entrypoint"],
  };
}
