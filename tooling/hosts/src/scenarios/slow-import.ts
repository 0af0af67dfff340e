import { editing, planning, reading, running, saying, type Scenario } from "../scenario.ts";

const LOADER = `"""Loads readings from a CSV file and drops duplicates."""

import csv


def load(path):
    rows = []
    with open(path, newline="") as handle:
        for row in csv.DictReader(handle):
            rows.append(row)
    return rows


def unique(rows):
    """Keeps the first reading of each sensor and minute."""
    kept = []
    for row in rows:
        if not any(k["sensor"] == row["sensor"] and k["minute"] == row["minute"] for k in kept):
            kept.append(row)
    return kept


def average(rows):
    by_sensor = {}
    for row in rows:
        by_sensor.setdefault(row["sensor"], []).append(float(row["value"]))
    return {sensor: sum(values) / len(values) for sensor, values in by_sensor.items()}
`;

const BENCH = `"""python3 bench.py ROWS: seconds for loading, deduplicating and averaging."""

import csv
import sys
import time

from readings.loader import average, load, unique

count = int(sys.argv[1])
with open("bench.csv", "w", newline="") as handle:
    writer = csv.writer(handle)
    writer.writerow(["sensor", "minute", "value"])
    for index in range(count):
        writer.writerow([f"s{index % 50}", index // 60, index % 17])

begin = time.perf_counter()
rows = load("bench.csv")
kept = unique(rows)
result = average(kept)
print(f"rows={len(rows)} kept={len(kept)} sensors={len(result)} slow={time.perf_counter() - begin > 1}")
`;

const TEST = `import unittest

from readings.loader import average, unique


class UniqueTest(unittest.TestCase):
    def test_keeps_the_first(self):
        rows = [
            {"sensor": "a", "minute": "1", "value": "1"},
            {"sensor": "a", "minute": "1", "value": "9"},
            {"sensor": "b", "minute": "1", "value": "3"},
        ]
        self.assertEqual([row["value"] for row in unique(rows)], ["1", "3"])


class AverageTest(unittest.TestCase):
    def test_averages_by_sensor(self):
        rows = [{"sensor": "a", "value": "1"}, {"sensor": "a", "value": "2"}]
        self.assertEqual(average(rows), {"a": 1.5})


if __name__ == "__main__":
    unittest.main()
`;

export const slowImport: Scenario = {
  name: "slow-import",
  about: "Performance work in Python: measure, decide, change, break a test. Chatty.",
  hosts: ["claude-code", "gemini"],
  files: {
    "readings/__init__.py": "",
    "readings/loader.py": LOADER,
    "bench.py": BENCH,
    "tests/__init__.py": "",
    "tests/test_loader.py": TEST,
    ".gitignore": "__pycache__/\nbench.csv\n",
    "README.md": "# readings\n\nRuns on the gateway: Python 3.9, no packages, 64 MB of memory.\n",
  },
  before: [
    {
      prompt: `Hi! So the nightly import on the gateway takes about forty minutes by now and the ops people are (rightly) unhappy. I'd like it to get through 20000 rows in under a second on my laptop, bench.py tells you.

Two things before you start: please do not add any package, the gateway has no pip, and never run anything against /var/lib/readings - that's the live data on machines where it is mounted. Apart from that feel free to restructure loader.py as you like, as long as the tests stay as they are :)`,
      turns: [
        {
          text: "I will measure first, then look for the part that grows with the square of the rows.",
          calls: [
            {
              tool: "plan",
              items: [
                { text: "Measure with bench.py", status: "in_progress" },
                { text: "Find the slow part", status: "pending" },
                { text: "Make unique() linear", status: "pending" },
                { text: "Stream the file instead of loading it whole", status: "pending" },
                { text: "Note the numbers in README.md", status: "pending" },
              ],
            },
          ],
        },
        reading("readings/loader.py", "bench.py", "tests/test_loader.py"),
        running("python3 bench.py 3000"),
        running("python3 -m unittest -q", "And the tests as they are now."),
        running(
          "python3 -c \"import cProfile, pstats; from readings.loader import load, unique; rows = load('bench.csv'); p = cProfile.Profile(); p.runcall(unique, rows); pstats.Stats(p).sort_stats('ncalls').print_stats(3)\" | grep -E 'genexpr|unique|any' | sed -E 's/ +[0-9.]+ +[0-9.]+ +[0-9.]+ +[0-9.]+ / /'",
          "unique() compares each row with all kept rows. The profile should agree.",
        ),
        planning(
          "x Measure with bench.py",
          "x Find the slow part",
          "> Make unique() linear",
          "- Stream the file instead of loading it whole",
          "- Note the numbers in README.md",
        ),
        editing(
          "readings/loader.py",
          {
            old: '    kept = []\n    for row in rows:\n        if not any(k["sensor"] == row["sensor"] and k["minute"] == row["minute"] for k in kept):\n            kept.append(row)\n    return kept',
            new: '    seen = {}\n    for row in rows:\n        seen[(row["sensor"], row["minute"])] = row\n    return list(seen.values())',
          },
          "A dict keyed by sensor and minute is linear.",
        ),
        running("python3 -m unittest -q"),
        {
          text: "My mistake: assignment keeps the last reading, the contract is the first. `setdefault` keeps the first.",
          calls: [
            {
              tool: "edit",
              path: "readings/loader.py",
              old: '        seen[(row["sensor"], row["minute"])] = row',
              new: '        seen.setdefault((row["sensor"], row["minute"]), row)',
            },
          ],
        },
        running("python3 -m unittest -q"),
        running("python3 bench.py 20000"),
        saying(
          "unique() is linear now, 20000 rows take well under a second. I chose a dict over a set plus a list because dicts keep insertion order since 3.7, so the order of the result does not change. Next I would stream the file, since 64 MB on the gateway are tight. Shall I?",
        ),
      ],
    },
    {
      prompt:
        "Lovely, that was quick! Yes please, stream it. One change of plan though: leave README.md alone, Dana rewrites it at the moment. Put the numbers into docs/performance.md instead.",
      turns: [
        planning(
          "x Measure with bench.py",
          "x Find the slow part",
          "x Make unique() linear",
          "> Stream the file instead of loading it whole",
          "- Put the numbers into docs/performance.md",
        ),
        editing(
          "readings/loader.py",
          {
            old: '    rows = []\n    with open(path, newline="") as handle:\n        for row in csv.DictReader(handle):\n            rows.append(row)\n    return rows',
            new: '    with open(path, newline="") as handle:\n        yield from csv.DictReader(handle)',
          },
          "load() becomes a generator.",
        ),
        running("python3 -m unittest -q && python3 bench.py 20000"),
        {
          text: "bench.py asks for len(rows), which a generator does not have. bench.py is ours to change; load() stays a generator.",
          calls: [
            {
              tool: "write",
              path: "docs/performance.md",
              content: "# Performance\n\n| rows | before | after |\n| --- | --- | --- |\n| 20000 | more than a minute | under a second |\n",
            },
          ],
        },
        saying(
          "Where we are: load() in readings/loader.py streams, the tests pass, docs/performance.md has the first numbers. Still broken: `python3 bench.py 20000` stops with TypeError: object of type 'generator' has no len(). Next step: count the rows in bench.py while unique() consumes them. One question for you: may unique() raise on a row without a minute, or should it skip such rows? I left it raising KeyError.",
        ),
      ],
    },
  ],
  after: [
    {
      prompt: "Skip them, please, and carry on with the rest.",
      turns: [
        reading("bench.py", "readings/loader.py"),
        editing("bench.py", {
          old: 'rows = load("bench.csv")\nkept = unique(rows)',
          new: 'rows = list(load("bench.csv"))\nkept = unique(rows)',
        }),
        running("python3 bench.py 20000"),
        editing("readings/loader.py", {
          old: '        seen.setdefault((row["sensor"], row["minute"]), row)',
          new: '        if row.get("minute"):\n            seen.setdefault((row["sensor"], row["minute"]), row)',
        }),
        running("python3 -m unittest -q"),
        reading("docs/performance.md"),
        saying("Rows without a minute are skipped, bench.py works again."),
      ],
    },
  ],
  questions: [
    { ask: "What is the goal, in numbers?", expect: /20000 rows/ },
    { ask: "What must not be added?", expect: /not add any package|no pip/i },
    { ask: "Which path must nothing run against?", expect: "/var/lib/readings" },
    { ask: "Which file was put out of bounds later?", expect: /leave README\.md alone|README\.md/ },
    { ask: "Where do the numbers go?", expect: "docs/performance.md" },
    { ask: "Which file holds the code that was changed?", expect: "readings/loader.py" },
    { ask: "How are the tests run?", expect: "python3 -m unittest" },
    { ask: "What fails now, with which message?", expect: /has no len\(\)/ },
    { ask: "Why a dict?", expect: /insertion order|setdefault|keep.{0,20}first/i },
    { ask: "Which question is open?", expect: /without a minute/i },
  ],
};
