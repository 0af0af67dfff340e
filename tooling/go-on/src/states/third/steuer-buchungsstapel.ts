import type { WorkingState } from "../../working-state.ts";
import { many } from "../../filler.ts";

interface Nachricht {
  readonly role: "user" | "assistant";
  readonly content: string | readonly Record<string, unknown>[];
}

const text = (t: string): Record<string, unknown> => ({ type: "text", text: t });
const ruf = (id: string, { name, input }: { readonly name: string; readonly input: object }, davor?: string): Nachricht => ({
  role: "assistant",
  content: [...(davor === undefined ? [] : [text(davor)]), { type: "tool_use", id: `toolu_${id}`, name, input }],
});
interface Beigabe {
  readonly dazu?: string;
  readonly fehler?: boolean;
}

const ergebnis = (id: string, inhalt: string, { dazu, fehler = false }: Beigabe = {}): Nachricht => ({
  role: "user",
  content: [
    { type: "tool_result", tool_use_id: `toolu_${id}`, content: [text(inhalt)], ...(fehler ? { is_error: true } : {}) },
    ...(dazu === undefined ? [] : [text(dazu)]),
  ],
});
const euro = (cent: number): string => `${Math.floor(cent / 100)},${String(cent % 100).padStart(2, "0")}`;

const stapelZeilen = (seed: number, count: number): string =>
  many(seed, count, (i, pick, whole) => {
    const tag = String(whole(28) + 1).padStart(2, "0");
    return `${euro(whole(900000) + 1200)};"${pick(["S", "H"])}";"EUR";;;;${pick(["10", "10", "12"])}${String(whole(7000) + 1000)};${pick(["84000", "81250", "83000", "44000", "54000"])};;${tag}10;"RE${250000 + i * 3 + whole(3)}";;;"${pick(["Warenverkauf", "Ersatzteile", "Fracht", "Lizenz", "Montage"])} ${pick(["Nord", "Süd", "Werk 2", "Online"])}"`;
  }).join("\n");

const sqlZeilen = (seed: number, count: number): string =>
  many(
    seed,
    count,
    (i, pick, whole) =>
      `| ${String(410000 + i * 7)} | 2025-10-${String(whole(30) + 1).padStart(2, "0")} | ${pick(["RE", "GU", "ZA", "ER"])} | ${pick(["DE", "DE", "DE", "AT", "FR", "PL", "CH"])} | ${euro(whole(2000000))} | ${pick(["19", "7", "0", "19"])} | ${pick(["fest", "offen", "fest"])} | ${pick(["", "Skonto 2 %", "Teilzahlung", "Anzahlung verrechnet"])} |`,
  ).join("\n");

const logZeilen = (seed: number, count: number): string =>
  many(
    seed,
    count,
    (_i, pick, whole) =>
      `2025-11-0${whole(6) + 1} ${String(whole(12) + 7).padStart(2, "0")}:${String(whole(60)).padStart(2, "0")}:${String(whole(60)).padStart(2, "0")} ${pick(["DEBUG", "INFO", "INFO", "WARN"])} ${pick(["kontor.export", "kontor.mapping", "kontor.db", "stapel.writer"])} - ${pick(["Beleg gelesen", "Konto zugeordnet", "Kostenstelle leer, Vorgabe 100 gesetzt", "Zeile geschrieben", "Verbindung aus Pool geliehen", "Umsatzsteuersatz geprüft"])} (nr=${410000 + whole(3000)}, dauer=${whole(90)} ms)`,
  ).join("\n");

const grepZeilen = many(
  205,
  120,
  (_i, pick, whole) =>
    `src/${pick(["export/stapel.ts", "export/kopf.ts", "mapping/konten.ts", "mapping/steuer.ts", "export/belegdatum.ts", "db/belege.ts"])}:${whole(420) + 1}:  ${pick(["const betrag = zeile.betrag.toFixed(2).replace('.', ',');", "if (beleg.land !== 'DE') return konto;", "kopf[13] = sachkontenlaenge;", "felder.push(quote(beleg.text.slice(0, 60)));", "const datum = `${tag}${monat}`;", "// TODO Skonto"])}`,
).join("\n");

/** The state of an agent connecting a wholesaler's ERP to the tax office's import format, stopped after a failed test import. */
export const state: WorkingState = {
  name: "steuer-buchungsstapel",
  language: "de",
  kind: "coding agent, messages with tool results under the user role; German tax and ERP interface",
  focus: "Stapel Oktober nach Importfehler neu erzeugen",
  human:
    'Ziel: Buchungen aus dem ERP Kontor monatlich als EXTF-Buchungsstapel an die Kanzlei Wendt übergeben, zuerst Oktober 2025. Im Produktivsystem niemals schreiben, nur kontor_test. Festgeschriebene Buchungen auf keinen Fall ändern, Korrektur nur per Generalumkehr. Kopf: Berater 71834, Mandant 20611, Sachkontenlänge 5 (Debitoren sechsstellig, ab 100000). Entschieden: Automatikkonten ohne BU-Schlüssel, BU 94 nur bei § 13b. Letzter Testimport: Zeile 418, Belegdatum 110 ungültig, die führende Null fehlt. Nächste Schritte: in src/export/belegdatum.ts padStart(4, "0") einbauen; dann Stapel Oktober neu erzeugen, Summe Soll muss 1.284.906,37 ergeben. Noch offen: Skonto nach 7 und 19 % aufteilen (Konten 87310 und 87360). Zuletzt gesagt: Frau Adler nimmt Testimporte nur bis Dienstag 16 Uhr, danach Herr Pohl.',
  questions: [
    { kind: "goal", q: "Was soll die Anbindung leisten?", answer: ["Kontor", "Buchungsstapel", "Kanzlei Wendt|Wendt"] },
    {
      kind: "prohibition",
      q: "Wo darf nicht geschrieben werden?",
      answer: ["(?:niemals|nie|nicht|kein)[\\s\\S]{0,80}?Produktiv|Produktiv[\\s\\S]{0,80}?(?:niemals|nie |nicht|kein|tabu)"],
    },
    {
      kind: "prohibition",
      q: "Was gilt für festgeschriebene Buchungen?",
      answer: [
        "[Ff]estgeschrieben[\\s\\S]{0,100}?(?:auf keinen Fall|nicht|nie)|(?:auf keinen Fall|nicht|nie)[\\s\\S]{0,80}?[Ff]estgeschrieben",
        "Generalumkehr",
      ],
    },
    {
      kind: "decision",
      q: "Wie wird mit BU-Schlüsseln verfahren?",
      answer: ["Automatikkonten ohne BU|ohne BU[\\s\\S]{0,40}?Automatikkonten", "94[\\s\\S]{0,40}?13b|13b[\\s\\S]{0,40}?94"],
    },
    { kind: "error", q: "Woran scheiterte der letzte Testimport?", answer: ["Zeile 418", "Belegdatum"] },
    { kind: "next", q: "Welche Änderung behebt das?", answer: ["padStart"] },
    { kind: "next", q: "Welche Summe muss der neue Stapel ergeben?", answer: ["1\\.284\\.906,37"] },
    { kind: "todo", q: "Was ist beim Skonto noch offen?", answer: ["Skonto", "87310", "87360"] },
    {
      kind: "recent",
      q: "Bis wann und bei wem geht der Testimport?",
      answer: ["Adler[\\s\\S]{0,160}?Dienstag|Dienstag[\\s\\S]{0,160}?Adler", "Pohl"],
    },
    { kind: "fact", q: "Berater, Mandant und Sachkontenlänge im Kopf?", answer: ["71834", "20611", "Sachkontenlänge[\\s\\S]{0,30}?5"] },
  ],
  context: {
    model: "worker-large",
    max_tokens: 16000,
    system: [
      text(
        "Du arbeitest im Repository kontor-stapel (TypeScript, Node 22). Antworte auf Deutsch, knapp. Werkzeuge: bash, sql, lies, schreibe. Formatiere mit prettier, bevor du etwas abgibst.",
      ),
    ],
    messages: [
      {
        role: "user",
        content:
          "Hallo! Wir brauchen eine Anbindung von unserem ERP (Kontor) an die Steuerkanzlei Wendt: einmal im Monat alle Buchungen als EXTF-Buchungsstapel, den die Kanzlei einlesen kann. Erster Monat ist Oktober 2025. Bisher hat Sabine das per Hand abgetippt. Im Repo liegt ein Anfang von einem Werkstudenten, den darfst du umbauen.\n\nWichtig: im Produktivsystem niemals schreiben, auch keine Markierung 'exportiert' setzen. Schreiben nur in kontor_test.",
      },
      ruf(
        "01a",
        { name: "bash", input: { command: "git log --oneline | head; ls -R src | head -60" } },
        "Ich sehe mir zuerst den Bestand an.",
      ),
      ergebnis(
        "01a",
        "9c2e1aa Kopfzeile erster Versuch\n1b7f002 mapping\n0aa41d3 init\nsrc:\ndb\nexport\nmapping\n\nsrc/db:\nbelege.ts\n\nsrc/export:\nbelegdatum.ts\nkopf.ts\nstapel.ts\n\nsrc/mapping:\nkonten.ts\nsteuer.ts\n",
      ),
      ruf("02b", { name: "sql", input: { datenbank: "kontor_test", abfrage: "select * from belege where monat = '2025-10' limit 260" } }),
      ergebnis("02b", `| nr | datum | art | land | betrag | ust | status | bemerkung |\n${sqlZeilen(201, 260)}\n(260 Zeilen)`),
      ruf(
        "03c",
        { name: "bash", input: { command: "grep -rn '' src | head -120" } },
        "Die Belege haben einen Status 'fest' und 'offen'. Wie soll ich mit denen umgehen, die schon fest sind?",
      ),
      ergebnis("03c", grepZeilen, {
        dazu: "Fest heißt festgeschrieben. Festgeschriebene Buchungen auf keinen Fall ändern, das prüft uns das Finanzamt sonst auseinander. Wenn da etwas falsch ist: nur per Generalumkehr in einem neuen Beleg.",
      }),
      ruf("04d", { name: "lies", input: { datei: "docs/kanzlei-mail-2025-10-28.txt" } }),
      ergebnis(
        "04d",
        "Von: Kanzlei Wendt, S. Adler\nBetreff: Angaben für den Import\n\nGuten Tag,\n\nanbei unsere Angaben. Bitte verwenden Sie im Kopf die Beraternummer 71834 und die Mandantennummer 20611. Das Wirtschaftsjahr beginnt am 01.01.2025. Achtung, wir führen den Mandanten mit Sachkontenlänge 5, die Personenkonten sind also sechsstellig (Debitoren ab 100000, Kreditoren ab 700000). Kontenrahmen SKR 03, jeweils mit angehängter Null. Die Buchungstexte bitte höchstens 60 Zeichen, Belegfeld 1 höchstens 36 Zeichen ohne Umlaute. Zeichensatz Windows-1252.\n\nFür die Umsatzsteuervoranmeldung haben Sie Dauerfristverlängerung, Oktober ist am 10.12. fällig; wir möchten die Daten trotzdem bis Mitte November haben.\n\nMit freundlichen Grüßen\nS. Adler",
      ),
      {
        role: "assistant",
        content: [
          text(
            "Ich habe den Kopf danach gebaut. Frage zur Steuer: der Werkstudent schreibt zu jeder Zeile einen BU-Schlüssel, auch bei den Konten 84000 und 81250, die in der Kanzlei Automatikkonten sind. Das gibt dort doppelte Umsatzsteuer. Vorschlag A: überall Automatikkonten ohne BU-Schlüssel, BU nur da, wo kein Automatikkonto passt. Vorschlag B: nichtautomatische Konten anlegen lassen.",
          ),
        ],
      },
      {
        role: "user",
        content:
          "Hab eben mit der Kanzlei telefoniert: A. Also Automatikkonten ohne BU-Schlüssel, und BU 94 nur bei § 13b (Bauleistungen und die polnischen Subunternehmer).",
      },
      ruf("05e", {
        name: "schreibe",
        input: {
          datei: "src/mapping/steuer.ts",
          inhalt: 'export function bu(beleg: Beleg): string {\n  return beleg.reverseCharge ? "94" : "";\n}\n',
        },
      }),
      ergebnis("05e", "geschrieben (3 Zeilen)"),
      ruf("06f", { name: "bash", input: { command: "npm run export -- --monat 2025-10 --db kontor_test --trace 2>&1" } }),
      ergebnis("06f", logZeilen(202, 330)),
      ruf(
        "07g",
        { name: "bash", input: { command: "sed -n '3,$p' out/EXTF_2025-10.csv | head -480" } },
        "Lauf ist durch, ich sehe mir den Stapel an.",
      ),
      ergebnis("07g", stapelZeilen(203, 480)),
      {
        role: "assistant",
        content: [
          text(
            "Der Stapel hat 1.871 Zeilen. Aufgefallen: Skonto wird noch als eine Zeile gebucht. Richtig wäre eine Aufteilung nach Steuersatz: 7 % auf 87310, 19 % auf 87360. Das habe ich als offen notiert (TODO in stapel.ts) und mache es nach dem ersten erfolgreichen Testimport.",
          ),
        ],
      },
      {
        role: "user",
        content:
          "Ja, Skonto danach reicht. Zur Kontrolle: laut Saldenliste aus Kontor muss die Summe Soll für Oktober genau 1.284.906,37 sein. Wenn der Stapel das nicht ergibt, nicht an die Kanzlei geben.",
      },
      ruf("08h", {
        name: "sql",
        input: {
          datenbank: "kontor_test",
          abfrage: "select * from belege where monat = '2025-10' and art in ('ZA','GU') limit 300",
        },
      }),
      ergebnis("08h", `| nr | datum | art | land | betrag | ust | status | bemerkung |\n${sqlZeilen(204, 300)}\n(300 Zeilen)`),
      ruf("09i", { name: "bash", input: { command: "node tools/summe.mjs out/EXTF_2025-10.csv" } }),
      ergebnis("09i", "Soll 1281344,12\nHaben 1281344,12\nAbweichung zur Saldenliste: 3562,25 (17 Belege ohne Zeile, alle Anzahlungen)"),
      ruf(
        "10j",
        {
          name: "schreibe",
          input: {
            datei: "src/db/belege.ts",
            inhalt: '// Anzahlungen (art = \'AZ\') mitnehmen\nexport const ARTEN = ["RE", "GU", "ZA", "ER", "AZ"] as const;\n',
          },
        },
        "Anzahlungen fehlten in der Abfrage. Behoben.",
      ),
      ergebnis("10j", "geschrieben (2 Zeilen)"),
      ruf("11k", { name: "bash", input: { command: "npm run export -- --monat 2025-10 --db kontor_test --trace 2>&1 | tail -420" } }),
      ergebnis("11k", logZeilen(206, 420)),
      ruf(
        "12l",
        {
          name: "bash",
          input: { command: "cp out/EXTF_2025-10.csv /austausch/wendt/test/ && sed -n '3,$p' out/EXTF_2025-10.csv | tail -520" },
        },
        "Ich lege den Stapel in das Testverzeichnis der Kanzlei.",
      ),
      ergebnis("12l", stapelZeilen(207, 520), {
        dazu: "ok, Frau Adler liest ihn gleich ein. Sie hat übrigens gesagt, Testimporte macht sie nur bis Dienstag 16 Uhr, danach ist sie im Urlaub und Herr Pohl übernimmt, dem muss man dann alles neu erklären.",
      }),
      ruf("13m", { name: "lies", input: { datei: "/austausch/wendt/test/protokoll.txt" } }),
      ergebnis(
        "13m",
        `Importprotokoll Stapel EXTF_2025-10.csv (Test)\nBerater 71834 Mandant 20611\n${many(208, 150, (i, pick, whole) => `Zeile ${i * 2 + 3}: ${pick(["übernommen", "übernommen", "übernommen", "übernommen, Hinweis: Kostenstelle unbekannt"])} (Konto ${pick(["84000", "81250", "44000"])}, Gegenkonto 1${whole(9000) + 10000})`).join("\n")}\nZeile 418: FEHLER Belegdatum 110 ungültig (erwartet TTMM)\nImport abgebrochen. 416 Zeilen verworfen, 0 gebucht.`,
        { fehler: true },
      ),
      {
        role: "assistant",
        content: [
          text(
            'Ursache gefunden: in src/export/belegdatum.ts wird der Tag als Zahl angehängt, beim 1. Oktober entsteht 110 statt 0110, die führende Null fehlt. Ich baue dort padStart(4, "0") ein, erzeuge den Stapel neu, prüfe die Summe und lege ihn noch einmal ins Testverzeichnis.',
          ),
          { type: "tool_use", id: "toolu_14n", name: "lies", input: { datei: "src/export/belegdatum.ts" } },
        ],
      },
      ergebnis(
        "14n",
        "export function belegdatum(d: Date): string {\n  const tag = d.getDate();\n  const monat = d.getMonth() + 1;\n  return `${tag}${monat}`;\n}\n",
      ),
    ],
    stop_reason: "tool_use",
    usage: { input_tokens: 104218, output_tokens: 5120, cache_read_input_tokens: 98810 },
    metadata: { arbeitsverzeichnis: "/srv/kontor-stapel", zweig: "extf", gestartet: "2025-11-06T08:12:40+01:00" },
  },
};
