import type { WorkingState } from "../../working-state.ts";
import { many } from "../../filler.ts";

interface Position {
  readonly oz: string;
  readonly text: string;
  readonly menge: string;
  readonly einheit: string;
  readonly ep: string;
  readonly lieferant: string;
  readonly stand: string;
}

function euro(cents: number): string {
  return `${Math.floor(cents / 100)},${String(cents % 100).padStart(2, "0")}`;
}

function positionen(seed: number, count: number): Position[] {
  return many(seed, count, (index, pick, whole) => ({
    oz: `${String(1 + Math.floor(index / 22)).padStart(2, "0")}.${String(((index % 22) + 1) * 10).padStart(4, "0")}`,
    text: pick([
      "Wickelfalzrohr DN 250",
      "Kanal rechteckig, verzinkt",
      "Brandschutzklappe K90",
      "Volumenstromregler",
      "Tellerventil DN 125",
      "Schalldämpfer 1000 mm",
      "Revisionsdeckel",
      "Flexrohr gedämmt",
      "Weitwurfdüse",
      "Dämmung Mineralwolle 50 mm",
      "Kanalrauchmelder",
    ]),
    menge: euro(100 + whole(40000)),
    einheit: pick(["m", "St", "m2", "psch"]),
    ep: euro(900 + whole(190000)),
    lieferant: pick(["Großhandel Nord", "Klimabedarf Ost", "eigene Werkstatt", "Anfrage läuft nicht mehr"]),
    stand: pick(["kalkuliert", "kalkuliert", "geprüft"]),
  })).map((position) =>
    position.oz === "04.0120"
      ? { ...position, text: "Kanal rechteckig, verzinkt", menge: "210,00", einheit: "m", stand: "kalkuliert" }
      : position,
  );
}

/** A supervisor graph that prepares a tender for a school's ventilation system and waits for a recalculated position. */
export const state: WorkingState = {
  name: "angebot-lueftung-schule",
  language: "de",
  kind: "LangGraph channel values of a supervisor with workers; German",
  focus: "Position neu kalkulieren und Angebot abgabefertig machen",
  human:
    "Ziel: Angebot Lüftungsanlage Grundschule Am Wehr, Abgabe 23.05., 11:00 Uhr, nur über das Vergabeportal. Nachlass über 4 % nie ohne Freigabe von Frau Hellwig. Keine Fabrikate im Begleitschreiben nennen (produktneutral, sonst Ausschluss). Entschieden: Plattenwärmetauscher im Kreuzgegenstrom, Rotor verworfen (Geruchsübertragung aus der Mensa). Fehler: Position 04.0120 mit 210 m statt 21,0 m gerechnet, Komma beim Einlesen verloren. Nächste Schritte: worker kalkulation rechnet 04.0120 neu, dann Endsumme; danach Formblatt 223 ausfüllen. Offen: Verpflichtungserklärung des Nachunternehmers Dämmung (Fa. Isotec Süd) fehlt noch. Zuletzt von Herrn Brandl: Bindefrist 31.07. statt 30.06. Verrechnungslohn 58,40 EUR, GK-Zuschlag 13,5 %.",
  questions: [
    { q: "Welches Angebot, bis wann abzugeben?", answer: ["Grundschule Am Wehr", "23\\.05\\.[\\s\\S]{0,20}?11:00"], kind: "goal" },
    {
      q: "Welcher Nachlass ist verboten?",
      answer: ["4 %[\\s\\S]{0,80}?(?:nie|nicht|ohne)[\\s\\S]{0,40}?Hellwig|(?:nie|nicht|ohne)[\\s\\S]{0,40}?Hellwig[\\s\\S]{0,80}?4 %"],
      kind: "prohibition",
    },
    {
      q: "Was darf im Begleitschreiben nicht stehen?",
      answer: ["[Kk]eine Fabrikate|Fabrikat[\\s\\S]{0,60}?(?:nicht|nie|keine)"],
      kind: "prohibition",
    },
    {
      q: "Welcher Wärmetauscher, welcher verworfen?",
      answer: [
        "Kreuzgegenstrom",
        "(?:Rotor|Rotations)[\\s\\S]{0,100}?(?:verworfen|Geruch)|(?:verworfen|Geruch)[\\s\\S]{0,100}?(?:Rotor|Rotations)",
      ],
      kind: "decision",
    },
    {
      q: "Welcher Fehler steckt in welcher Position?",
      answer: ["04\\.0120", "210 m[\\s\\S]{0,20}?21,0 m|21,0 m[\\s\\S]{0,20}?210 m"],
      kind: "error",
    },
    {
      q: "Wer rechnet als Nächstes was?",
      answer: ["kalkulation[\\s\\S]{0,160}?04\\.0120|04\\.0120[\\s\\S]{0,160}?kalkulation"],
      kind: "next",
    },
    { q: "Welches Formblatt ist danach auszufüllen?", answer: ["Formblatt 223"], kind: "next" },
    { q: "Welche Unterlage fehlt noch?", answer: ["Verpflichtungserklärung", "Isotec"], kind: "todo" },
    {
      q: "Bindefrist nach letzter Mitteilung?",
      answer: ["Bindefrist[\\s\\S]{0,60}?31\\.07\\.|31\\.07\\.[\\s\\S]{0,60}?Bindefrist"],
      kind: "recent",
    },
    { q: "Verrechnungslohn und GK-Zuschlag?", answer: ["[Vv]errechnungslohn[\\s\\S]{0,20}?58,40", "13,5 %"], kind: "fact" },
  ],
  context: {
    v: 2,
    thread_id: "ang-2025-0417",
    checkpoint_ns: "",
    checkpoint_id: "1f02c9aa-77b0-6d1e-8010-5c2f0e",
    channel_versions: { messages: 41, plan: 9, worker_results: 17, next: 41, rahmen: 3 },
    versions_seen: { supervisor: { messages: 41 }, kalkulation: { next: 36 }, technik: { next: 22 }, formular: { next: 12 } },
    channel_values: {
      next: "kalkulation",
      active_worker: null,
      rahmen: {
        vorgang: "ANG-2025-0417",
        bezeichnung: "Raumlufttechnische Anlage, Grundschule Am Wehr, Neubau Mensa und zwei Klassentrakte",
        vergabestelle: "Stadt, Amt für Hochbau, Los 7",
        abgabe: { datum: "23.05.", uhrzeit: "11:00", form: "ausschließlich elektronisch über das Vergabeportal" },
        abgabe_text: "Angebotsabgabe am 23.05. um 11:00 Uhr; verspätete oder auf anderem Wege eingehende Angebote werden ausgeschlossen.",
        verrechnungslohn: "58,40 EUR/h",
        zuschlaege: {
          GK: "13,5 %",
          Wagnis_Gewinn: "4,0 Prozent",
          Material: "11,0 Prozent",
          bemerkung: "Stand der Innung-Tabelle vom Februar, von Frau Hellwig freigegeben",
        },
        bindefrist: "30.06.",
      },
      messages: [
        {
          lc: 1,
          type: "constructor",
          id: ["langchain", "schema", "messages", "HumanMessage"],
          kwargs: {
            content:
              "Sehr geehrte Kollegen, bitte das Angebot für die Lüftung der Grundschule Am Wehr (Los 7) erstellen. Es gelten die üblichen Regeln des Hauses: Ein Nachlass von mehr als 4 % wird nie ohne Freigabe von Frau Hellwig eingetragen. Ferner wurden wir beim letzten Verfahren gerügt, daher: im Begleitschreiben keine Fabrikate nennen, das Verfahren ist produktneutral, sonst droht der Ausschluss. Mit freundlichen Grüßen, Brandl, Kalkulation",
            name: "brandl",
          },
        },
        {
          lc: 1,
          type: "constructor",
          id: ["langchain", "schema", "messages", "AIMessage"],
          kwargs: {
            content:
              "Arbeitsplan: (1) technik klärt Geräteauslegung, (2) kalkulation rechnet alle Positionen, (3) formular füllt die Formblätter, (4) Zusammenstellung und Prüfung.",
            name: "supervisor",
          },
        },
        {
          lc: 1,
          type: "constructor",
          id: ["langchain", "schema", "messages", "AIMessage"],
          kwargs: {
            content:
              "Auslegung Variante A mit Rotationswärmetauscher: Rückwärmzahl 0,82, Gerätelänge 4,10 m. Variante B mit Plattenwärmetauscher im Kreuzgegenstrom: Rückwärmzahl 0,78, Gerätelänge 4,75 m. Variante A ist um 6.900 EUR günstiger, ich schlage A vor.",
            name: "technik",
          },
        },
        {
          lc: 1,
          type: "constructor",
          id: ["langchain", "schema", "messages", "HumanMessage"],
          kwargs: {
            content:
              "Variante A bitte nicht weiter verfolgen. Den Rotor haben wir verworfen wegen der Geruchsübertragung aus der Mensa in die Klassentrakte; das hat der Planer gestern auch schriftlich so verlangt. Es bleibt beim Plattenwärmetauscher im Kreuzgegenstrom.",
            name: "brandl",
          },
        },
        ...many(301, 22, (index, pick, whole) => ({
          lc: 1,
          type: "constructor",
          id: ["langchain", "schema", "messages", "AIMessage"],
          kwargs: {
            content: `${pick(["Titel", "Abschnitt"])} ${String(1 + (index % 6)).padStart(2, "0")}: ${20 + whole(3)} Positionen ${pick(["kalkuliert", "gegen die Mengenliste geprüft", "mit den Preisen des Großhandels versehen"])}, Zwischensumme ${12 + whole(80)}.${String(100 + whole(899))},${String(10 + whole(89))} EUR. ${pick(["Keine Besonderheiten.", "Montagezeiten nach Tabelle.", "Zwei Preise aus dem Vorjahr fortgeschrieben.", "Lieferzeit 6 Wochen bestätigt."])}`,
            name: pick(["kalkulation", "kalkulation", "technik", "formular"]),
            response_metadata: { token_usage: { total: 800 + whole(4000) } },
          },
        })),
        {
          lc: 1,
          type: "constructor",
          id: ["langchain", "schema", "messages", "AIMessage"],
          kwargs: {
            content:
              "Plausibilitätsprüfung: Titel 04 liegt um 38 % über dem Vergleichsobjekt. Ursache gefunden: Position 04.0120 wurde mit 210 m statt 21,0 m gerechnet, beim Einlesen der GAEB-Datei ging das Komma verloren. Die übrigen Positionen des Titels sind richtig. Die bisherige Endsumme ist damit hinfällig.",
            name: "pruefung",
          },
        },
        {
          lc: 1,
          type: "constructor",
          id: ["langchain", "schema", "messages", "AIMessage"],
          kwargs: {
            content:
              "An worker kalkulation: bitte 04.0120 neu rechnen und anschließend die Endsumme neu bilden. Danach formular: Formblatt 223 (Aufgliederung der Einheitspreise) ausfüllen.",
            name: "supervisor",
            additional_kwargs: { route: "kalkulation" },
          },
        },
        {
          lc: 1,
          type: "constructor",
          id: ["langchain", "schema", "messages", "HumanMessage"],
          kwargs: {
            content:
              "Zur Kenntnis: die Vergabestelle hat heute mitgeteilt, dass die Bindefrist auf den 31.07. verlängert wird. Bitte überall anpassen, in den Unterlagen steht noch 30.06. Brandl",
            name: "brandl",
          },
        },
      ],
      plan: [
        { nr: 1, schritt: "Geräteauslegung", worker: "technik", status: "erledigt" },
        { nr: 2, schritt: "Positionen kalkulieren", worker: "kalkulation", status: "nachzubessern" },
        { nr: 3, schritt: "Formblätter 124, 221, 234", worker: "formular", status: "erledigt" },
        { nr: 4, schritt: "Formblatt 223", worker: "formular", status: "wartet auf Endsumme" },
        {
          nr: 5,
          schritt: "Nachunternehmer",
          worker: "formular",
          status: "offen",
          notiz: "Verpflichtungserklärung des Nachunternehmers für die Dämmung (Fa. Isotec Süd) fehlt noch, am 12. und 15. angemahnt",
        },
        { nr: 6, schritt: "Begleitschreiben", worker: "formular", status: "Entwurf liegt vor" },
        { nr: 7, schritt: "Zusammenstellung, Upload", worker: "supervisor", status: "offen" },
      ],
      worker_results: {
        technik: { geraete: 2, volumenstrom_m3h: [8400, 5200], schallleistung_dB: 71, anlage: "Datenblatt_RLT_01.pdf" },
        kalkulation: { positionen: positionen(302, 132), summe_vorlaeufig: "hinfällig" },
        formular: {
          erzeugt: ["FB124.pdf", "FB221.pdf", "FB234.pdf"],
          begleitschreiben_entwurf:
            "Sehr geehrte Damen und Herren, anbei überreichen wir unser Angebot über die raumlufttechnische Anlage. Für Rückfragen stehen wir gern zur Verfügung.",
        },
      },
      supervisor_log: many(
        303,
        90,
        (index, pick, whole) =>
          `schritt=${index + 1} route=${pick(["kalkulation", "technik", "formular", "pruefung"])} dauer_ms=${400 + whole(9000)} tokens=${300 + whole(5200)} grund="${pick(["Positionen fehlen", "Rückfrage beantwortet", "Ergebnis angenommen", "Wiederholung nach Zeitüberschreitung", "Zwischensumme gebildet"])}"`,
      ),
    },
    pending_sends: [],
    metadata: { source: "loop", step: 41, parents: {} },
  },
};
