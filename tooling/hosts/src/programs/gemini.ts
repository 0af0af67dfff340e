import { join } from "node:path";
import { writeNewFile } from "../write-new-file.ts";
import type { HostProgram } from "./host-program.ts";

/** Gemini CLI, one process for each prompt. */
export const gemini: HostProgram = {
  binary: "gemini",
  packageName: "@google/gemini-cli",
  version: "0.61.0",
  configure: ({ home }) =>
    writeNewFile(
      join(home, ".gemini", "settings.json"),
      JSON.stringify(
        {
          security: { auth: { selectedType: "gemini-api-key" }, folderTrust: { enabled: false } },
          general: { enableAutoUpdate: false },
          privacy: { usageStatisticsEnabled: false },
          telemetry: { enabled: false },
        },
        undefined,
        2,
      ),
    ),
  environment: ({ endpointUrl }) => ({ GOOGLE_GEMINI_BASE_URL: endpointUrl, GEMINI_API_KEY: "scripted", GEMINI_CLI_NO_RELAUNCH: "true" }),
  starts: (prompts, { continues }) =>
    prompts.map((prompt, index) => ({
      args: [
        "--model",
        "gemini-2.5-pro",
        "--approval-mode",
        "yolo",
        "--output-format",
        "stream-json",
        ...(continues || index > 0 ? ["--resume", "latest"] : []),
        "--prompt",
        prompt,
      ],
    })),
  transcripts: { folder: ".gemini/tmp", isOne: (path) => /\/chats\/[^/]+\.jsonl?$/.test(path) },
};
