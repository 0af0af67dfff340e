import { spawnSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { ShellTerminal, TERMINAL } from "./testing/shell-terminal.ts";
import { useCli } from "./testing/use-cli.ts";

const cli = useCli();
const PAGE = readFileSync(new URL("../../../docs/reference/cli.md", import.meta.url), "utf8");
const BASH_COMPLETION = "/usr/share/bash-completion/bash_completion";

/** Content of the shells' start files, in addition to the documented lines. */
const SHELLS = [
  {
    shell: "bash",
    needs: ["/bin/bash", BASH_COMPLETION],
    startFile: ".bashrc",
    start: `. ${BASH_COMPLETION}\nPS1='ready> '\n`,
  },
  {
    shell: "zsh",
    needs: ["/usr/bin/zsh"],
    startFile: ".zshrc",
    // By default zsh itself runs a `$( )` on Tab, whatever the command.
    start: `fpath=(~/.zfunc $fpath)\nautoload -Uz compinit && compinit -u\nbindkey '^I' complete-word\nPS1='ready> '\n`,
  },
  {
    shell: "fish",
    needs: ["/usr/bin/fish"],
    startFile: ".config/fish/config.fish",
    start: "function fish_prompt\n    echo 'ready> '\nend\n",
  },
] as const;

const COMPLETED: readonly (readonly [keys: string, shown: RegExp])[] = [
  ["workrail se\t\t", /search.*sessions/su],
  ["workrail load --\t\t", /--data-dir.*--json.*--session/su],
  ["workrail config set ret\t", /retentionDays/u],
  ["workrail config set readOnly \t\t", /false.*true/su],
  ["workrail list --kind \t\t", /aside.*conversation/su],
  ["workrail list --kind=wor\t", /--kind=workflow/u],
  ["workrail export --out\t", /--output/u],
  ["workrail save context-\t", /context-of-mine\.json/u],
];

/** Each would create a file if any of it was run. */
const RUNNING = [
  "'$(touch ran)'",
  "$(touch ran)",
  "`touch ran`",
  "--session=$(touch ran)",
  "--session=$(touch${IFS}ran)=",
  "\\;touch\\ ran",
  "*(e:touch\\ ran:)",
];

/** Prepares a home directory as the documentation says. */
function prepareHome({ shell, startFile, start }: (typeof SHELLS)[number]): Record<string, string> {
  const bin = join(cli.folder, "bin");
  mkdirSync(bin);
  writeFileSync(join(bin, "workrail"), `#!/bin/sh\nexec '${process.execPath}' '${cli.launcher}' "$@"\n`);
  chmodSync(join(bin, "workrail"), 0o755);
  const env = { HOME: cli.folder, PATH: `${bin}:/usr/bin:/bin`, TERM: "xterm", LANG: "C.UTF-8", WORKRAIL_DATA_DIR: cli.dataDir };
  const command = new RegExp(`^\\| ${shell} +\\| \`(.+)\` +\\|$`, "mu").exec(PAGE)?.[1] ?? "";
  expect(spawnSync(shell, ["-c", command], { cwd: cli.project, env, encoding: "utf8" })).toMatchObject({ status: 0, stderr: "" });
  writeFileSync(join(cli.folder, startFile), start);
  return env;
}

for (const each of SHELLS) {
  const { shell, needs } = each;
  const missing = [TERMINAL, ...needs].filter((file) => !existsSync(file));
  const why = missing.length === 0 ? "" : ` (skipped: there is no ${missing.join(", ")})`;

  describe.skipIf(missing.length > 0 || process.platform !== "linux")(`in ${shell}${why}`, () => {
    it("completes commands, options, settings, values and files", async () => {
      writeFileSync(join(cli.project, "context-of-mine.json"), "{}");
      await using terminal = new ShellTerminal(`${shell} -i`, { cwd: cli.project, env: prepareHome(each) });
      await terminal.isReady();
      for (const [keys, shown] of COMPLETED) expect(await terminal.type(keys, shown)).toMatch(shown);
    });

    it("runs nothing while it completes", async () => {
      await using terminal = new ShellTerminal(`${shell} -i`, { cwd: cli.project, env: prepareHome(each) });
      await terminal.isReady();
      for (const word of RUNNING) {
        // Completes a second line after the first.
        await terminal.type(`workrail load ${word}\t\t\u0015workrail sess\t`, /sessions/u);
        expect([word, existsSync(join(cli.project, "ran"))]).toEqual([word, false]);
      }
    });
  });
}

describe("for PowerShell, whose script is not run here", () => {
  it("passes words on unchanged, and quotes an empty one so that it is not lost", async () => {
    const script = await cli.output(["completion", "powershell"]);
    expect(script).not.toMatch(/Invoke-Expression|\biex\b|ScriptBlock\]::Create/iu);
    expect(script).toContain("& 'workrail' 'complete' '--' @words");
    expect(await cli.output(["complete", "--", "config", "s", " "])).toBe(await cli.output(["complete", "--", "config", "s", ""]));
    expect(await cli.output(["complete", "--", "config", " "])).toMatch(/^set\t/mu);
  });
});
