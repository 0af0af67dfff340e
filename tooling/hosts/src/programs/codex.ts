import { join } from "node:path";
import { writeNewFile } from "../write-new-file.ts";
import type { HostProgram } from "./host-program.ts";

/** Codex, one process for each prompt. */
export const codex: HostProgram = {
  binary: "codex",
  packageName: "@openai/codex",
  version: "0.169.0",
  configure: ({ home, project, endpointUrl }) => writeNewFile(join(home, ".codex", "config.toml"), configuration(project, endpointUrl)),
  environment: ({ home }) => ({ CODEX_HOME: join(home, ".codex"), SCRIPTED_MODEL_KEY: "scripted" }),
  starts: (prompts, { continues }) =>
    prompts.map((prompt, index) => ({
      // Codex silently skips untrusted hooks.
      args: [
        "exec",
        ...(continues || index > 0 ? ["resume", "--last"] : []),
        "--json",
        "--dangerously-bypass-approvals-and-sandbox",
        "--dangerously-bypass-hook-trust",
        prompt,
      ],
    })),
  transcripts: { folder: ".codex/sessions", isOne: (path) => /rollout-[^/]+\.jsonl$/.test(path) },
};

function configuration(project: string, endpointUrl: string): string {
  return `model = "gpt-5.5"
model_provider = "scripted"
check_for_update_on_startup = false

[tools.update_plan]
enabled = true

[model_providers.scripted]
name = "Scripted"
base_url = "${endpointUrl}/v1"
env_key = "SCRIPTED_MODEL_KEY"
wire_api = "responses"

[projects.${JSON.stringify(project)}]
trust_level = "trusted"
`;
}
