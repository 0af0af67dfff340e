import { join } from "node:path";
import type { Called, ClientProgram, Server } from "../client-program.ts";
import { RepeatedProgram } from "../repeated-program.ts";
import { folderOf, runProgram } from "../run-program.ts";

const PACKAGE = "mcporter";
/** Without these it would run at once when it is loaded, and end its process after a run. */
const RUNS_WHEN_CALLED = { MCPORTER_DISABLE_AUTORUN: "1", MCPORTER_NO_FORCE_EXIT: "1" };

/** The command line of mcporter. The listing is a process of its own. The calls share one. */
export const mcporter: ClientProgram = {
  name: "mcporter",
  packageName: PACKAGE,
  connect: async (server, home) => {
    const shared = new RepeatedProgram([join(folderOf(PACKAGE), "dist/cli.js")], home, RUNS_WHEN_CALLED);
    const where = whereOf(server);
    return {
      async tools() {
        const { stdout } = await runProgram({ packageName: PACKAGE, program: "mcporter", home }, ["list", ...where, "--json"]);
        return (JSON.parse(stdout) as { tools: readonly { readonly name: string }[] }).tools.map(({ name }) => name);
      },
      async call(tool, given): Promise<Called> {
        const { code, stdout } = await shared.run(["call", ...where, tool, "--args", JSON.stringify(given), "--output", "json"]);
        const value = JSON.parse(stdout) as Readonly<Record<string, unknown>>;
        return code === 0
          ? { isError: false, value }
          : { isError: true, text: JSON.stringify(value["content"]), form: `exit code ${code}` };
      },
      close: () => shared.close(),
    };
  },
};

function whereOf(server: Server): readonly string[] {
  if (server.way === "HTTP") return ["--http-url", server.url.href, "--allow-http"];
  const words = [server.command, ...server.args].map((word) => JSON.stringify(word));
  const env = Object.entries(server.env).flatMap(([name, value]) => ["--env", `${name}=${value}`]);
  return ["--stdio", words.join(" "), ...env, "--name", "workrail"];
}
