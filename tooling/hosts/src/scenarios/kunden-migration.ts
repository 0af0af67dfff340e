import { editing, planning, reading, running, saying, type Scenario, writing } from "../scenario.ts";

const SCHEMA = `create table kunden (
  id integer primary key,
  name text not null,
  adresse text not null
);
`;

const SEED = `insert into kunden (id, name, adresse) values
  (1, 'Anna Berg', 'Lindenweg 4, 79098 Freiburg'),
  (2, 'Jonas Wolf', 'Am Markt 12a, 04109 Leipzig'),
  (3, 'Studio Nord', 'Hafenstr. 9, Hinterhaus, 20457 Hamburg'),
  (4, 'Mira Sand', 'Postfach 1120, 50667 Köln');
`;

const MAKE = `"""Legt die Übungsdatenbank neu an: python3 scripts/anlegen.py"""

import pathlib
import sqlite3

target = pathlib.Path("uebung.db")
target.unlink(missing_ok=True)
base = sqlite3.connect(target)
base.executescript(pathlib.Path("sql/schema.sql").read_text(encoding="utf-8"))
base.executescript(pathlib.Path("sql/beispiele.sql").read_text(encoding="utf-8"))
base.commit()
print("uebung.db angelegt")
`;

const MIGRATE = `"""Teilt die Adresse in Straße, PLZ und Ort: python3 scripts/migrieren.py DATEI"""

import re
import sqlite3
import sys

FORM = re.compile(r"^(?P<strasse>[^,]+), (?P<plz>\\d{5}) (?P<ort>.+)$")

base = sqlite3.connect(sys.argv[1])
for spalte in ("strasse", "plz", "ort"):
    base.execute(f"alter table kunden add column {spalte} text")
for nummer, adresse in base.execute("select id, adresse from kunden").fetchall():
    treffer = FORM.match(adresse)
    if treffer is None:
        raise SystemExit(f"Kunde {nummer}: Adresse nicht lesbar: {adresse}")
    base.execute("update kunden set strasse = ?, plz = ?, ort = ? where id = ?", (*treffer.groups(), nummer))
base.commit()
print("fertig")
`;

const CHECK = `"""Prüft die Migration: python3 scripts/pruefen.py DATEI"""

import sqlite3
import sys

base = sqlite3.connect(sys.argv[1])
fehlend = base.execute("select id, adresse from kunden where plz is null or length(plz) <> 5").fetchall()
for nummer, adresse in fehlend:
    print(f"Kunde {nummer} ohne gültige PLZ: {adresse}")
doppelt = base.execute("select count(*) from kunden where strasse like '%Postfach%'").fetchone()[0]
if doppelt:
    print(f"FEHLER: {doppelt} Postfach als Straße gespeichert")
sys.exit(1 if fehlend or doppelt else 0)
`;

export const kundenMigration: Scenario = {
  name: "kunden-migration",
  about: "Data migration with SQL and Python, in German: a script that fails on real addresses, a decision, an open question.",
  hosts: ["claude-code"],
  files: {
    "sql/schema.sql": SCHEMA,
    "sql/beispiele.sql": SEED,
    "scripts/anlegen.py": MAKE,
    ".gitignore": "*.db\n__pycache__/\n",
    "LIESMICH.md": "# Kunden\n\n`python3 scripts/anlegen.py` legt die Übungsdatenbank an.\n",
  },
  before: [
    {
      prompt: `Wir müssen die Spalte adresse in strasse, plz und ort aufteilen. Schreib mir dafür ein Migrationsskript in Python (nur Standardbibliothek) und probier es an der Übungsdatenbank aus.

Wichtig: die Spalte adresse bleibt stehen, die wird NICHT gelöscht, die Buchhaltung liest sie noch bis Jahresende. Und niemals gegen produktion.db laufen lassen, auch nicht "nur zum Lesen".`,
      turns: [
        planning("> Schema und Beispiele ansehen", "- Migrationsskript schreiben", "- An uebung.db ausprobieren", "- Prüfskript schreiben"),
        reading("sql/schema.sql", "sql/beispiele.sql", "scripts/anlegen.py"),
        running("python3 scripts/anlegen.py"),
        planning("x Schema und Beispiele ansehen", "> Migrationsskript schreiben", "- An uebung.db ausprobieren", "- Prüfskript schreiben"),
        writing(
          "scripts/migrieren.py",
          MIGRATE,
          "Straße bis zum Komma, dann fünf Ziffern, dann der Ort. Was nicht passt, bricht ab, statt still etwas Falsches zu speichern.",
        ),
        running("python3 scripts/migrieren.py uebung.db"),
        {
          text: "Kunde 3 hat ein Hinterhaus mit eigenem Komma. Ich suche die PLZ deshalb vom Ende her: der letzte Teil ist immer PLZ und Ort.",
          calls: [
            {
              tool: "edit",
              path: "scripts/migrieren.py",
              old: 'FORM = re.compile(r"^(?P<strasse>[^,]+), (?P<plz>\\d{5}) (?P<ort>.+)$")',
              new: 'FORM = re.compile(r"^(?P<strasse>.+), (?P<plz>\\d{5}) (?P<ort>[^,]+)$")',
            },
          ],
        },
        running("python3 scripts/migrieren.py uebung.db"),
        {
          text: "Die Spalten gibt es schon vom abgebrochenen Lauf: das Skript war nicht wiederholbar. Ich habe mich für eine Transaktion um alles entschieden, weil SQLite auch ALTER TABLE zurückrollt; ein Merker in einer eigenen Tabelle wäre mehr als nötig.",
          calls: [
            {
              tool: "edit",
              path: "scripts/migrieren.py",
              old: "base = sqlite3.connect(sys.argv[1])",
              new: 'base = sqlite3.connect(sys.argv[1], isolation_level=None)\nbase.execute("begin immediate")',
            },
          ],
        },
        running("python3 scripts/anlegen.py && python3 scripts/migrieren.py uebung.db"),
        planning("x Schema und Beispiele ansehen", "x Migrationsskript schreiben", "x An uebung.db ausprobieren", "> Prüfskript schreiben"),
        writing("scripts/pruefen.py", CHECK),
        running("python3 scripts/pruefen.py uebung.db"),
        saying(
          "Das Skript läuft durch, aber die Prüfung meldet einen Fehler: 1 Postfach als Straße gespeichert (Kunde 4). Ein Postfach ist keine Straße. Soll es eine eigene Spalte postfach bekommen oder in strasse bleiben?",
        ),
      ],
    },
    {
      prompt: "Eigene Spalte. Heißt aber `postfach_nr` und enthält nur die Nummer. Und bitte die Meldungen im Skript auf Deutsch lassen.",
      turns: [
        reading("scripts/migrieren.py"),
        editing(
          "scripts/migrieren.py",
          { old: 'for spalte in ("strasse", "plz", "ort"):', new: 'for spalte in ("strasse", "plz", "ort", "postfach_nr"):' },
          "Erst die Spalte.",
        ),
        running("python3 scripts/anlegen.py && python3 scripts/migrieren.py uebung.db && python3 scripts/pruefen.py uebung.db"),
        saying(
          "Stand: postfach_nr wird angelegt, aber noch nicht gefüllt; scripts/pruefen.py endet weiter mit FEHLER: 1 Postfach als Straße gespeichert. Nächster Schritt: in scripts/migrieren.py Adressen mit 'Postfach' erkennen, die Nummer nach postfach_nr schreiben und strasse leer lassen. Offen ist noch, ob Auslandsadressen (PLZ mit vier Ziffern) vorkommen; in sql/beispiele.sql ist keine.",
        ),
      ],
    },
  ],
  after: [
    {
      prompt: "Mach weiter.",
      turns: [
        reading("scripts/migrieren.py", "scripts/pruefen.py"),
        editing("scripts/migrieren.py", {
          old: '    base.execute("update kunden set strasse = ?, plz = ?, ort = ? where id = ?", (*treffer.groups(), nummer))',
          new: '    strasse, plz, ort = treffer.groups()\n    postfach = re.match(r"Postfach (\\d+)$", strasse)\n    werte = (None if postfach else strasse, plz, ort, postfach and postfach[1], nummer)\n    base.execute("update kunden set strasse = ?, plz = ?, ort = ?, postfach_nr = ? where id = ?", werte)',
        }),
        running("python3 scripts/anlegen.py && python3 scripts/migrieren.py uebung.db && python3 scripts/pruefen.py uebung.db"),
        running(
          "sqlite3 uebung.db 'select id, strasse, postfach_nr from kunden' 2>/dev/null || python3 -c \"import sqlite3; print(sqlite3.connect('uebung.db').execute('select id, strasse, postfach_nr from kunden').fetchall())\"",
        ),
        saying("Die Prüfung läuft ohne Fehler durch."),
      ],
    },
  ],
  questions: [
    { ask: "Was ist das Ziel?", expect: /strasse, plz und ort/ },
    { ask: "Was darf nicht gelöscht werden?", expect: /adresse bleibt stehen|NICHT gelöscht/ },
    { ask: "Wogegen darf nichts laufen?", expect: "produktion.db" },
    { ask: "Wie heißt die neue Spalte?", expect: "postfach_nr" },
    { ask: "Welches Skript wird geändert?", expect: "scripts/migrieren.py" },
    { ask: "Mit welcher Meldung endet die Prüfung?", expect: /1 Postfach als Straße gespeichert/ },
    { ask: "Wie wird die Übungsdatenbank angelegt?", expect: "python3 scripts/anlegen.py" },
    { ask: "Wofür fiel die Entscheidung gegen halbe Läufe?", expect: /Transaktion/ },
    { ask: "Was ist der nächste Schritt?", expect: /strasse leer lassen|Nummer nach postfach_nr/ },
    { ask: "Was ist noch offen?", expect: /Auslandsadressen/ },
  ],
};
