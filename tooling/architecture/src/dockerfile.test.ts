import { readFileSync } from "node:fs";
import { join } from "node:path";
import { namesOf, SETTING_NAMES, variableOf } from "@workrail/runtime/settings";
import { validate } from "dockerfile-utils";
import { describe, expect, it } from "vitest";
import { ROOT, workspacePackages } from "./workspace.ts";

const server = workspacePackages().find(({ folder }) => folder === "apps/mcp-server")?.manifest;
const text = readFileSync(join(ROOT, "Dockerfile"), "utf8");
const lines = text.split("\n").filter((line) => line !== "" && !line.startsWith("#"));

/** Returns the arguments of each use of an instruction. */
function given(instruction: string): readonly string[] {
  return lines.filter((line) => line.startsWith(`${instruction} `)).map((line) => line.slice(instruction.length + 1));
}

// Builds no image: checks the text of the file. `tooling/release/src/image.test.ts` installs by its npm line and runs its entry point.
describe("the Dockerfile", () => {
  it("has nothing that the linter finds, which finds something in a worse one", () => {
    expect(validate(text)).toEqual([]);
    expect(validate(text.replace('["workrail-mcp"]', "['workrail-mcp']")).map(({ message }) => message)).toEqual([
      "Instruction written as a JSON array but is using single quotes instead of double quotes",
    ]);
    expect(validate(text.replace("WORKDIR /", "WORKDIR x")).map(({ message }) => message)).toEqual(["WORKDIR paths should be absolute"]);
  });

  it("contains the server's package in the current version", () => {
    expect(given("ARG")).toEqual([`VERSION=${server?.version}`]);
    expect(given("RUN")[0]).toContain(`"${server?.name}@\${VERSION}"`);
    expect(Object.keys(server?.bin ?? {}).map((name) => JSON.stringify([name]))).toEqual(given("ENTRYPOINT"));
  });

  it("has a Node that the package supports", () => {
    const [, major] = /^node:(\d+)-slim$/.exec(given("FROM").join()) ?? [];
    const oldest = /^>=(\d+)$/.exec(server?.engines?.["node"] ?? "")?.[1];
    expect(Number(major)).toBeGreaterThanOrEqual(Number(oldest));
  });

  it("sets only existing settings, and keeps the data where its user may write", () => {
    const set = given("ENV").map((each) => each.split("="));
    expect(set).toEqual([["WORKRAIL_DATA_DIR", "/data"]]);
    const known = SETTING_NAMES.flatMap(namesOf).map(variableOf);
    for (const [variable = ""] of set) expect(known).toContain(variable);
    expect(given("VOLUME")).toEqual(["/data"]);
    expect(given("USER")).toEqual(["node"]);
    const made = lines.indexOf("RUN install --directory --owner=node --group=node --mode=0700 /data");
    expect(made).toBeGreaterThan(0);
    // Changes to the directory of a volume after the declaration are lost, and only root may create one in the root directory.
    expect(made).toBeLessThan(lines.indexOf("VOLUME /data"));
    expect(made).toBeLessThan(lines.indexOf("USER node"));
  });

  it("copies nothing from the checkout", () => {
    expect(lines.filter((line) => /^(?:COPY|ADD) /.test(line))).toEqual([]);
    expect(readFileSync(join(ROOT, ".dockerignore"), "utf8").split("\n")).toContain("*");
  });
});
