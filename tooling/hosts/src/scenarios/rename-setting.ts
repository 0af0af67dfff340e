import { editing, planning, reading, running, type Scenario, saying } from "../scenario.ts";

const CHECK = `#!/usr/bin/env bash
# Fails when a configuration has a key that nobody reads, or lacks one that somebody needs.
set -u
failed=0
for file in config/*.yaml; do
  [ "$file" = config/prod.yaml ] && continue
  grep -q '^retry_count:' "$file" && { echo "$file: unknown key retry_count"; failed=1; }
  grep -q '^max_attempts: [1-9]' "$file" || { echo "$file: max_attempts is missing or not a positive number"; failed=1; }
done
for script in bin/worker.sh bin/fetch.sh; do
  bash -n "$script" || failed=1
  grep -q retry_count "$script" && { echo "$script: still reads retry_count"; failed=1; }
done
exit $failed
`;

const WORKER = `#!/usr/bin/env bash
set -euo pipefail
config="config/\${STAGE:-dev}.yaml"
retries=$(sed -n 's/^retry_count: //p' "$config")
attempt=0
until "$@"; do
  attempt=$((attempt + 1))
  if [ "$attempt" -gt "$retries" ]; then
    echo "worker: gave up after $attempt attempts" >&2
    exit 1
  fi
done
`;

const FETCH = `#!/usr/bin/env bash
set -euo pipefail
config="config/\${STAGE:-dev}.yaml"
retries=$(sed -n 's/^retry_count: //p' "$config")
timeout=$(sed -n 's/^timeout_seconds: //p' "$config")
echo "would fetch $1 with $retries retries and $timeout s"
`;

const config = (retries: number): string => `queue: jobs\nretry_count: ${retries}\ntimeout_seconds: 30\n`;

export const renameSetting: Scenario = {
  name: "rename-setting",
  about: "Refactoring of shell scripts and configuration, as a list of orders. Killed in the middle, without a last word.",
  hosts: ["claude-code", "codex"],
  files: {
    "bin/worker.sh": WORKER,
    "bin/fetch.sh": FETCH,
    "bin/check-config.sh": CHECK,
    "config/dev.yaml": config(0),
    "config/test.yaml": config(2),
    "config/staging.yaml": config(4),
    "config/prod.yaml": config(5),
    "docs/settings.md":
      "# Settings\n\n| key | meaning |\n| --- | --- |\n| `queue` | name of the queue |\n| `retry_count` | how often a job is tried again after its first failure |\n| `timeout_seconds` | per job |\n",
  },
  before: [
    {
      prompt: `Rename setting retry_count -> max_attempts.
- max_attempts counts the first try too, so the number goes up by one in each file
- files: config/*.yaml, bin/worker.sh, bin/fetch.sh, docs/settings.md
- config/prod.yaml: hands off! Ops change it on Thursday with the release
- do not commit, do not push, I review the diff
- no fallback for the old name
bash bin/check-config.sh must pass at the end.`,
      turns: [
        running("git status --short; grep -rn retry_count . --include='*' --exclude-dir=.git | sort", "All places first."),
        planning(
          "> config/dev.yaml, test.yaml, staging.yaml: max_attempts, one more",
          "- bin/worker.sh: compare with max_attempts",
          "- bin/fetch.sh: print attempts",
          "- docs/settings.md: new name and meaning",
          "- bash bin/check-config.sh",
        ),
        reading("bin/worker.sh", "bin/fetch.sh", "bin/check-config.sh"),
        running("bash bin/check-config.sh", "Before any change it should complain about everything."),
        reading("config/dev.yaml", "config/test.yaml", "config/staging.yaml"),
        editing("config/dev.yaml", { old: "retry_count: 0", new: "max_attempts: 1" }),
        editing("config/test.yaml", { old: "retry_count: 2", new: "max_attempts: 3" }),
        running("bash bin/check-config.sh"),
        editing(
          "config/staging.yaml",
          { old: "retry_count: 4", new: "max_attempts: 5" },
          "dev and test are right, staging next. I leave sed -i aside on purpose: a pattern over config/*.yaml would catch config/prod.yaml too.",
        ),
        planning(
          "x config/dev.yaml, test.yaml, staging.yaml: max_attempts, one more",
          "> bin/worker.sh: compare with max_attempts",
          "- bin/fetch.sh: print attempts",
          "- docs/settings.md: new name and meaning",
          "- bash bin/check-config.sh",
        ),
        editing(
          "bin/worker.sh",
          { old: "retries=$(sed -n 's/^retry_count: //p' \"$config\")", new: "max_attempts=$(sed -n 's/^max_attempts: //p' \"$config\")" },
          "Now the worker. It counts failures, so the comparison changes from -gt to -ge.",
        ),
        running("STAGE=test bash bin/worker.sh false"),
        editing(
          "bin/worker.sh",
          { old: '  if [ "$attempt" -gt "$retries" ]; then', new: '  if [ "$attempt" -ge "$max_attempts" ]; then' },
          "`retries: unbound variable`: the comparison still has the old variable.",
        ),
        running("STAGE=test bash bin/worker.sh false; STAGE=dev bash bin/worker.sh false"),
        {
          text: "3 and 1 attempts, as they should be. Next is bin/fetch.sh, which only prints the number, then docs/settings.md.",
          calls: [{ tool: "shell", command: "bash bin/check-config.sh" }],
        },
      ],
    },
  ],
  isInterrupted: true,
  after: [
    {
      prompt: "you were cut off, continue",
      turns: [
        running("git status --short && bash bin/check-config.sh"),
        reading("bin/fetch.sh"),
        editing("bin/fetch.sh", {
          old: "retries=$(sed -n 's/^retry_count: //p' \"$config\")",
          new: "attempts=$(sed -n 's/^max_attempts: //p' \"$config\")",
        }),
        editing("bin/fetch.sh", {
          old: 'echo "would fetch $1 with $retries retries and $timeout s"',
          new: 'echo "would fetch $1 with $attempts attempts and $timeout s"',
        }),
        reading("docs/settings.md"),
        editing("docs/settings.md", {
          old: "| `retry_count` | how often a job is tried again after its first failure |",
          new: "| `max_attempts` | how often a job is tried, the first time included |",
        }),
        running("bash bin/check-config.sh && git diff --stat"),
        saying("All renamed but config/prod.yaml; the check passes, nothing is committed."),
      ],
    },
  ],
  questions: [
    { ask: "What is to be renamed, into what?", expect: /retry_count -> max_attempts|retry_count.{1,20}max_attempts/ },
    { ask: "Which file is out of bounds?", expect: /config\/prod\.yaml/ },
    { ask: "Who changes it, and when?", expect: /Thursday/ },
    { ask: "What must not be done with git?", expect: /do not commit/i },
    { ask: "Is the old name still read?", expect: /no fallback/i },
    { ask: "How does the number change?", expect: /goes up by one|one more|first try too/i },
    { ask: "Which check must pass?", expect: "bash bin/check-config.sh" },
    { ask: "What does it still say?", expect: /bin\/fetch\.sh: still reads retry_count/ },
    { ask: "Which files remain?", expect: /docs\/settings\.md/ },
    { ask: "Why no sed over all files?", expect: /sed -i aside|catch config\/prod\.yaml/ },
  ],
};
