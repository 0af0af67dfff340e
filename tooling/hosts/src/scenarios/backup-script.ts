import { editing, planning, reading, running, saying, type Scenario, writing } from "../scenario.ts";

const BACKUP = `#!/usr/bin/env bash
# backup.sh SOURCE TARGET [--dry-run]
source=$1
target=$2
today=$(date +%F)
for file in $(find $source -type f); do
  if [ "$3" = --dry-run ]; then
    echo "would copy $file"
  else
    mkdir -p $target/$today
    cp $file $target/$today/
  fi
done
# keep seven days
ls $target | sort | head -n -7 | xargs -I{} rm -rf $target/{}
`;

const CHECK = `#!/usr/bin/env bash
# Makes a tree with awkward names and looks at the dry run.
set -u
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/from/letters 2025" "$work/to"
touch "$work/from/plain.txt" "$work/from/letters 2025/to aunt.txt"
mkdir "$work/to/2020-01-0"{1..9}
out=$(bash backup.sh "$work/from" "$work/to" --dry-run)
failed=0
expect() { case "$out" in *"$1"*) echo "ok: $2";; *) echo "NOT OK: $2"; failed=1;; esac; }
expect "would copy $work/from/plain.txt" "copies plain.txt"
expect "would copy $work/from/letters 2025/to aunt.txt" "copies names with blanks"
[ "$(ls "$work/to" | wc -l)" -eq 9 ] && echo "ok: dry run deletes nothing" || { echo "NOT OK: dry run deletes old days: $(ls "$work/to" | wc -l) of 9 left"; failed=1; }
expect "would remove $work/to/2020-01-01" "names what it would remove"
exit $failed
`;

export const backupScript: Scenario = {
  name: "backup-script",
  about: "Mending of a shell script that must never run for real. Short prompts, one with a correction.",
  hosts: ["claude-code", "gemini", "opencode"],
  files: {
    "backup.sh": BACKUP,
    "check.sh": CHECK,
    "README.md": "# backup\n\n`bash backup.sh SOURCE TARGET` copies a tree and keeps seven days.\n",
  },
  before: [
    {
      prompt:
        "backup.sh loses files with blanks in their names. Mend that. NEVER run backup.sh without --dry-run, not even on a test folder, it deletes things. bash check.sh is safe.",
      turns: [
        reading("backup.sh", "check.sh"),
        running("bash check.sh"),
        {
          text: "Two defects, and the second one is worse: the clean-up at the end runs in a dry run as well.",
          calls: [
            {
              tool: "plan",
              items: [
                { text: "Read names with find -print0", status: "in_progress" },
                { text: "No deletion in a dry run", status: "pending" },
                { text: "Quote all variables", status: "pending" },
                { text: "Say in README.md what --dry-run does", status: "pending" },
              ],
            },
          ],
        },
        editing(
          "backup.sh",
          { old: "for file in $(find $source -type f); do", new: 'find "$source" -type f -print0 | while IFS= read -r -d "" file; do' },
          "find -print0 with a read loop: names may contain anything but NUL.",
        ),
        running("bash -n backup.sh && bash check.sh"),
        saying(
          "Blanks are fine now. The dry run still deletes old days (NOT OK: dry run deletes old days: 7 of 9 left). Shall I mend that too?",
        ),
      ],
    },
    {
      prompt: "whoa, yes! stop deleting in dry runs first of all. also set -euo pipefail at the top",
      turns: [
        planning(
          "x Read names with find -print0",
          "> No deletion in a dry run",
          "- Quote all variables",
          "- Say in README.md what --dry-run does",
        ),
        editing("backup.sh", {
          old: "# backup.sh SOURCE TARGET [--dry-run]",
          new: "# backup.sh SOURCE TARGET [--dry-run]\nset -euo pipefail",
        }),
        editing(
          "backup.sh",
          {
            old: "ls $target | sort | head -n -7 | xargs -I{} rm -rf $target/{}",
            new: 'find "$target" -mindepth 1 -maxdepth 1 -type d | sort | head -n -7 | while IFS= read -r day; do\n  if [ "$3" = --dry-run ]; then\n    echo "would remove $day"\n  else\n    rm -rf "$day"\n  fi\ndone',
          },
          "The clean-up asks the same switch and names what it would remove.",
        ),
        running("bash check.sh"),
        running(
          "printf 'set -u\\nx=$3\\n' | bash -s a b 2>&1 || true",
          "All ok. But with set -u a call without a third argument would stop; I check that without backup.sh.",
        ),
        writing(
          "docs/decisions.md",
          "# Decisions\n\n- Days are removed by name order, not by age: a clock that is wrong must not delete everything.\n",
          "A decision worth noting: I keep removing by name order and not by `find -mtime`, because a machine with a wrong clock would delete every day at once.",
        ),
        saying(
          "check.sh is all ok. Not done: backup.sh without a third argument now ends with `$3: unbound variable`, because of set -u. Next step: dry_run=${3:-} at the top of backup.sh and use it in both places, then quote $target/$today in the copy branch. I have not run backup.sh for real. Open: should the copy keep the folders? At present two files of one name overwrite each other.",
        ),
      ],
    },
  ],
  after: [
    {
      prompt: "keep the folders, yes. continue",
      turns: [
        reading("backup.sh"),
        editing("backup.sh", { old: "today=$(date +%F)", new: "today=$(date +%F)\ndry_run=${3:-}" }),
        running('sed -i \'s/"\\$3" = --dry-run/"$dry_run" = --dry-run/\' backup.sh && grep -n dry_run backup.sh'),
        reading("backup.sh"),
        editing("backup.sh", {
          old: "    mkdir -p $target/$today\n    cp $file $target/$today/",
          new: '    mkdir -p "$target/$today/$(dirname "${file#"$source"/}")"\n    cp "$file" "$target/$today/${file#"$source"/}"',
        }),
        running("bash -n backup.sh && bash check.sh"),
        reading("README.md"),
        saying("Done, checked by dry runs alone."),
      ],
    },
  ],
  questions: [
    { ask: "What is the goal?", expect: /blanks in their names/i },
    { ask: "What must never be run, and how?", expect: /without --dry-run/i },
    { ask: "Which check is safe?", expect: "bash check.sh" },
    { ask: "What came first in the second prompt?", expect: /stop deleting in dry runs|No deletion in a dry run/i },
    { ask: "Which options were asked for?", expect: "set -euo pipefail" },
    { ask: "Which file was edited?", expect: "backup.sh" },
    { ask: "What fails now, with which message?", expect: /\$3: unbound variable/ },
    { ask: "What is the next step?", expect: /dry_run=\$\{3:-\}/ },
    { ask: "Why by name order?", expect: /wrong clock|clock that is wrong/i },
    { ask: "Which question is open?", expect: /keep the folders/i },
  ],
};
