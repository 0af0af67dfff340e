import type { Called, ClientProgram, Server } from "../client-program.ts";
import { runProgram } from "../run-program.ts";

/** The command line of mcporter. Each step is a run of its own. */
export const mcporter: ClientProgram = {
  name: "mcporter",
  packageName: "mcporter",
  connect: async (server, home) => {
    const run = (args: readonly string[]) => runProgram({ packageName: "mcporter", program: "mcporter", home }, args);
    const where = whereOf(server);
    return {
      async tools() {
        const { stdout } = await run(["list", ...where, "--json"]);
        return (JSON.parse(stdout) as { tools: readonly { readonly name: string }[] }).tools.map(({ name }) => name);
      },
      async call(tool, given): Promise<Called> {
        const { code, stdout } = await run(["call", ...where, tool, "--args", JSON.stringify(given), "--output", "json"]);
        const value = JSON.parse(stdout) as Readonly<Record<string, unknown>>;
        return code === 0
          ? { isError: false, value }
          : { isError: true, text: JSON.stringify(value["content"]), form: `exit code ${code}` };
      },
      close: async () => {},
    };
  },
};

function whereOf(server: Server): readonly string[] {
  if (server.way === "HTTP") return ["--http-url", server.url.href, "--allow-http"];
  const words = [server.command, ...server.args].map((word) => JSON.stringify(word));
  const env = Object.entries(server.env).flatMap(([name, value]) => ["--env", `${name}=${value}`]);
  return ["--stdio", words.join(" "), ...env, "--name", "workrail"];
}
