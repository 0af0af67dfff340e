import { join } from "node:path";
import { writeNewFile } from "../write-new-file.ts";
import type { HostProgram } from "./host-program.ts";

/** opencode, one process for each prompt. */
export const opencode: HostProgram = {
  binary: "opencode",
  packageName: "opencode-ai",
  version: "1.18.33",
  configure: ({ home, endpointUrl }) =>
    writeNewFile(
      join(home, ".config", "opencode", "opencode.json"),
      JSON.stringify(
        {
          // opencode adds it where it is missing.
          $schema: "https://opencode.ai/config.json",
          model: "scripted/model",
          small_model: "scripted/model",
          autoupdate: false,
          share: "disabled",
          provider: {
            scripted: {
              npm: "@ai-sdk/openai-compatible",
              name: "Scripted",
              options: { baseURL: `${endpointUrl}/v1`, apiKey: "scripted" },
              models: { model: { name: "Scripted model", tool_call: true, limit: { context: 200_000, output: 8_000 } } },
            },
          },
        },
        undefined,
        2,
      ),
    ),
  environment: ({ home }) => ({
    XDG_CONFIG_HOME: join(home, ".config"),
    XDG_DATA_HOME: join(home, ".local", "share"),
    XDG_STATE_HOME: join(home, ".local", "state"),
    XDG_CACHE_HOME: join(home, ".cache"),
    OPENCODE_DISABLE_AUTOUPDATE: "1",
    OPENCODE_DISABLE_MODELS_FETCH: "1",
    OPENCODE_DISABLE_LSP_DOWNLOAD: "1",
  }),
  starts: (prompts, { continues }) =>
    prompts.map((prompt, index) => ({
      args: ["run", "--auto", ...(continues || index > 0 ? ["--continue"] : [])],
      // An argument with blanks would arrive in quotation marks.
      input: { lines: [prompt] },
    })),
  transcripts: { folder: ".local/share/opencode", isOne: (path) => path === "opencode.db" },
};
