import { editing, planning, reading, running, saying, type Scenario, writing } from "../scenario.ts";

const SCHEMA = `create table shops (id integer primary key, name text not null, closed text);
create table sales (id integer primary key, shop integer not null references shops, day text not null, cents integer not null);
create table refunds (id integer primary key, sale integer not null references sales, cents integer not null);
`;

const DATA = `insert into shops values (1, 'Harbour', null), (2, 'Station', '2026-02-10'), (3, 'Airport', null);
insert into sales values (1, 1, '2026-02-01', 5000), (2, 1, '2026-02-02', 7000), (3, 2, '2026-02-03', 4000), (4, 1, '2026-03-01', 100);
insert into refunds values (1, 1, 500), (2, 1, 700), (3, 3, 4000);
`;

const REPORT = `-- Turnover of a month by shop: sales less refunds
select shops.name, sum(sales.cents) - sum(refunds.cents) as cents
from shops
join sales on sales.shop = shops.id
join refunds on refunds.sale = sales.id
where sales.day like :month || '-%'
group by shops.name
order by shops.name;
`;

const RUN = `"""python3 run.py MONTH: prints the report from a database in memory."""

import pathlib
import sqlite3
import sys

base = sqlite3.connect(":memory:")
for name in ("schema", "data"):
    base.executescript(pathlib.Path(f"sql/{name}.sql").read_text())
for row in base.execute(pathlib.Path("sql/report.sql").read_text(), {"month": sys.argv[1]}):
    print("|".join(str(value) for value in row))
`;

const CHECK = `"""python3 check.py: compares the report with what accounting counted by hand."""

import subprocess
import sys

EXPECTED = ["Airport|0", "Harbour|10800", "Station|0"]
printed = subprocess.run([sys.executable, "run.py", "2026-02"], capture_output=True, text=True)
lines = printed.stdout.splitlines()
for wanted in EXPECTED:
    if wanted not in lines:
        print(f"MISMATCH: accounting has {wanted}, the report has {[line for line in lines if line.split('|')[0] == wanted.split('|')[0]]}")
print(printed.stderr.splitlines()[-1] if printed.stderr else "", end="")
sys.exit(0 if lines == EXPECTED else 1)
`;

export const wrongReport: Scenario = {
  name: "wrong-report",
  about: "A wrong SQL report, hunted down join by join. Killed while the model thinks, with one failure left.",
  hosts: ["claude-code", "codex"],
  files: {
    "sql/schema.sql": SCHEMA,
    "sql/data.sql": DATA,
    "sql/report.sql": REPORT,
    "run.py": RUN,
    "check.py": CHECK,
    "NOTES.md": "# Notes\n\nAccounting closes February on the 5th of March.\n",
  },
  before: [
    {
      prompt:
        "The February report is wrong: accounting counted Harbour 108.00 by hand, we print something else, and Airport is missing. Correct sql/report.sql so that python3 check.py passes. The data in sql/data.sql and the expected numbers in check.py are right, leave both alone. One statement, no views, no temporary tables: the reporting user may only select.",
      turns: [
        running("python3 run.py 2026-02; python3 check.py"),
        reading("sql/report.sql", "sql/schema.sql", "sql/data.sql"),
        planning(
          "> Airport missing: outer join",
          "- Harbour: each refund multiplies its sale",
          "- Sales without refunds fall out",
          "- Closed shops: keep them in the month in which they closed",
          "- NOTES.md: how the report counts",
        ),
        running(
          "python3 - <<'PY'\nimport sqlite3, pathlib\nb = sqlite3.connect(':memory:')\nfor n in ('schema', 'data'): b.executescript(pathlib.Path(f'sql/{n}.sql').read_text())\nprint(b.execute('select sales.id, sales.cents, refunds.cents from sales join refunds on refunds.sale = sales.id').fetchall())\nPY",
          "Sale 1 has two refunds, so its 5000 should come twice from the join.",
        ),
        {
          text: "Confirmed: (1, 5000, 500) and (1, 5000, 700). I sum refunds per sale in a subquery before joining. A `distinct` would hide it only as long as no two sales have the same amount.",
          calls: [
            {
              tool: "edit",
              path: "sql/report.sql",
              old: "join refunds on refunds.sale = sales.id",
              new: "left join (select sale, sum(cents) as cents from refunds group by sale) as refunds on refunds.sale = sales.id",
            },
          ],
        },
        running("python3 check.py"),
        {
          text: "Harbour agrees. But a shop without any refund would get null: coalesce per sale. And the shops by an outer join, for Airport.",
          calls: [
            {
              tool: "edit",
              path: "sql/report.sql",
              old: "select shops.name, sum(sales.cents) - sum(refunds.cents) as cents",
              new: "select shops.name, sum(sales.cents - coalesce(refunds.cents, 0)) as cents",
            },
            {
              tool: "edit",
              path: "sql/report.sql",
              old: "join sales on sales.shop = shops.id",
              new: "left join sales on sales.shop = shops.id",
            },
          ],
        },
        running("python3 check.py"),
        planning(
          "> Airport missing: outer join",
          "x Harbour: each refund multiplies its sale",
          "x Sales without refunds fall out",
          "- Closed shops: keep them in the month in which they closed",
          "- NOTES.md: how the report counts",
        ),
        saying(
          "Harbour is 10800 as accounting has it. Airport is still missing although the join is an outer one, so the where clause is next.",
        ),
      ],
    },
    {
      prompt:
        "Harbour is right now, nice. Airport must show 0, not None. And put how it counts into NOTES.md, but keep the line about the 5th of March.",
      turns: [
        {
          text: "Airport drops out in the where clause: a condition on the outer table turns the outer join into an inner one. The month belongs into the on clause.",
          calls: [
            {
              tool: "edit",
              path: "sql/report.sql",
              old: "left join sales on sales.shop = shops.id",
              new: "left join sales on sales.shop = shops.id and sales.day like :month || '-%'",
            },
            { tool: "edit", path: "sql/report.sql", old: "where sales.day like :month || '-%'\n", new: "" },
          ],
        },
        running("python3 check.py"),
        writing(
          "scratch/none.sql",
          "select sum(x) from (select 1 as x where 0);\n",
          "Sum over no rows is null as well; the outer coalesce has to go around sum. I look at one more thing first:",
        ),
        running("python3 run.py 2026-02; python3 run.py 2026-03"),
      ],
    },
  ],
  isInterrupted: true,
  after: [
    {
      prompt: "sorry, the machine went down. where were we? go on please",
      turns: [
        running("git status --short; python3 check.py"),
        reading("sql/report.sql"),
        editing("sql/report.sql", {
          old: "select shops.name, sum(sales.cents - coalesce(refunds.cents, 0)) as cents",
          new: "select shops.name, coalesce(sum(sales.cents - coalesce(refunds.cents, 0)), 0) as cents",
        }),
        running("python3 check.py"),
        reading("NOTES.md"),
        editing("NOTES.md", {
          old: "Accounting closes February on the 5th of March.",
          new: "Accounting closes February on the 5th of March.\n\nThe report sums each sale less its refunds; shops without sales show 0.",
        }),
        saying("check.py passes, NOTES.md says how the report counts."),
      ],
    },
  ],
  questions: [
    { ask: "What is wrong with the report?", expect: /Harbour 108\.00|Airport is missing/ },
    { ask: "Which file is to be corrected?", expect: "sql/report.sql" },
    { ask: "Which files are to be left alone?", expect: "sql/data.sql" },
    { ask: "What may the statement not use?", expect: /no views|no temporary tables/i },
    { ask: "How is it checked?", expect: "python3 check.py" },
    { ask: "What must Airport show?", expect: /Airport must show 0/ },
    { ask: "What fails now, with which message?", expect: /accounting has Airport\|0|Airport\|None/ },
    { ask: "Why refunds in a subquery?", expect: /refund multiplies|sum refunds per sale|distinct/ },
    { ask: "Which work is left in the notes?", expect: "NOTES.md" },
    { ask: "What is the next step?", expect: /coalesce has to go around sum|outer coalesce/ },
  ],
};
