import type { WorkingState } from "../../working-state.ts";
import { many } from "../../filler.ts";

/** The diary of an assistant in a trial greenhouse, in German; it stopped on a Wednesday evening before the leaf samples. */

const wetter = (seed: number, count: number): string[] =>
  many(
    seed,
    count,
    (i, pick, whole) =>
      `${String(i % 24).padStart(2, "0")}:00 Abteil ${1 + whole(4)} ${(17 + whole(140) / 10).toFixed(1).replace(".", ",")} °C ${50 + whole(45)} % rF CO2 ${400 + whole(500)} ppm ${pick(["Schirm zu", "Schirm auf", "Lüftung 20 %", "Lüftung 60 %", "Nebel an"])}`,
  );

const alltag = (seed: number): string =>
  many(
    seed,
    5,
    (_, pick, whole) =>
      `${pick(["Reihe", "Rinne", "Reihe"])} ${1 + whole(12)}: ${pick(["ausgegeizt", "Klammern nachgesetzt", "zwei Pflanzen hochgebunden", "Blätter bis zur ersten Traube weg", "Drainmenge abgelesen", "Gelbtafeln gezählt", "Hummelvolk kontrolliert"])}, ${pick(["alles unauffällig", "ging flott", "etwas Mehltau, nichts Wildes", "Drain " + String(15 + whole(25)) + " %", String(whole(9)) + " Weiße Fliegen je Tafel", "Praktikant hat geholfen"])}.`,
  ).join(" ");

export const state: WorkingState = {
  name: "gewaechshaus-tagebuch",
  language: "de",
  kind: "greenhouse trial; dated diary under one key, German",
  focus: "Blattproben nehmen und Becken B einstellen",
  human:
    "Versuch TS-25-04: Torf, Holzfaser und Kokos bei Tomate vergleichen, Bericht an die Kammer bis 30. September. In Abteil 3 auf keinen Fall spritzen (Encarsia). Reihe 7 darf nicht beerntet werden, das sind die Samenträger. Holzfaser bekommt sechs Gießgaben statt vier. Morgen früh zuerst Becken B von 3,1 auf EC 2,4 herunterfahren, in Schritten von höchstens 0,3 je Stunde. Donnerstag Blattproben aus den Reihen 2, 5 und 8, fünftes Blatt von oben, Beutel mit TS-25-04 beschriften. Abholung der Proben durch das Labor erst Freitag 7:30 (Heike), also über Nacht in den Kühlschrank. Fehler: Westlüftung klemmte, Relais K14 verklebt, getauscht wird es am Montag; bis dahin Handbetrieb. Offen: Tropfer in Reihe 11 tauschen (sind da, Regal 2).",
  questions: [
    { kind: "goal", q: "Wozu der Versuch und bis wann der Bericht?", answer: ["Holzfaser und Kokos", "30\\. September"] },
    {
      kind: "prohibition",
      q: "Wo darf nicht gespritzt werden?",
      answer: ["Abteil 3[\\s\\S]{0,60}?auf keinen Fall (?:ge)?spritz|auf keinen Fall[\\s\\S]{0,40}?Abteil 3"],
    },
    { kind: "prohibition", q: "Welche Reihe darf nicht beerntet werden?", answer: ["Reihe 7 darf nicht"] },
    { kind: "next", q: "Was geschieht morgen früh mit Becken B?", answer: ["Becken B[\\s\\S]{0,60}?EC 2,4|EC 2,4[\\s\\S]{0,60}?Becken B"] },
    { kind: "next", q: "Aus welchen Reihen kommen die Blattproben?", answer: ["Reihen 2, 5 und 8"] },
    { kind: "todo", q: "Welche Arbeit an der Bewässerung ist noch offen?", answer: ["Tropfer in Reihe 11"] },
    { kind: "decision", q: "Wie wird Holzfaser gegossen?", answer: ["sechs Gießgaben"] },
    { kind: "error", q: "Was war mit der Westlüftung?", answer: ["Relais K14"] },
    {
      kind: "fact",
      q: "Womit werden die Beutel beschriftet?",
      answer: ["TS-25-04[\\s\\S]{0,30}?beschrift|[Bb]eschrift[\\s\\S]{0,40}?TS-25-04"],
    },
    { kind: "recent", q: "Wann holt das Labor die Proben?", answer: ["Freitag(?: um)? 7:30"] },
  ],
  context: {
    tagebuch: {
      "2025-06-02":
        "Übernahme von Kerstin. Es geht um Versuch TS-25-04: Torf, Holzfaser und Kokos im Vergleich bei Tomate, drei Wiederholungen, zwölf Reihen. Am Ende steht der Bericht an die Kammer, bis 30. September. Kerstin sagt, das Wichtigste sei, dass die drei Substrate gleich behandelt werden, außer beim Gießen. Schlüssel hängt bei Uwe.",
      "2025-06-04": `${alltag(401)} Alle Substrate auf vier Gießgaben am Tag, wie Kerstin es wollte.`,
      "2025-06-10": alltag(402),
      "2025-06-13": `Klimadaten vom Rechner abgeschrieben, weil der Export spinnt:\n${wetter(403, 36).join("\n")}`,
      "2025-06-17": `${alltag(404)} Heute kamen die Schlupfwespen (Encarsia), 2 Karten je Reihe, nur in Abteil 3. Heißt: in Abteil 3 wird ab jetzt auf keinen Fall gespritzt, auch nicht mit Seife, auch nicht, wenn Uwe es eilig hat. Abteil 1, 2 und 4 normal.`,
      "2025-06-20": alltag(405),
      "2025-06-24": `${alltag(406)} Uwe wollte die pH-Sonde selbst eichen, ist erledigt, 4,01 und 7,00 stimmen.`,
      "2025-06-27": `Holzfaser schlappt mittags. Kerstin angerufen: Holzfaser bekommt ab sofort sechs Gießgaben statt vier, dafür kürzer (je 90 ml). Torf und Kokos bleiben bei vier. Das muss so auch in den Bericht. ${alltag(407)}`,
      "2025-07-01": alltag(408),
      "2025-07-03": `Noch einmal Klima, vier Abteile, Hitzetag:\n${wetter(409, 96).join("\n")}`,
      "2025-07-07": `${alltag(410)} Die Züchter waren da und haben Bänder angebracht: Reihe 7 darf nicht beerntet werden, das sind jetzt Samenträger, Früchte bleiben hängen bis die Züchter selber kommen. Schild gemalt.`,
      "2025-07-09": alltag(411),
      "2025-07-11": `Alarm um 13:40, 38 Grad in Abteil 4. Westlüftung ging nicht auf. Erst dachte ich an den Motor, der war es aber nicht: Relais K14 im Schaltschrank ist verklebt. Elektriker kommt am Montag, den 21., bis dahin Westlüftung im Handbetrieb, morgens 9 Uhr auf und abends zu. Motor also bitte nicht bestellen! ${alltag(412)}`,
      "2025-07-14": `${alltag(413)} Tropfer in Reihe 11 zur Hälfte verstopft. Neue bestellt.`,
      "2025-07-15": `Neue Tropfer sind da, liegen in Regal 2. Noch nicht dazu gekommen, Tropfer in Reihe 11 zu tauschen, bleibt offen. ${alltag(414)}`,
      "2025-07-16":
        "Langer Tag. " +
        alltag(415) +
        " EC gemessen: Becken A 2,3, Becken B 3,1 (!), vermutlich hat der Dosierer doppelt gezogen. Habe nichts mehr verstellt, das wäre abends leichtsinnig. Also morgen (Do) früh als Erstes Becken B herunterfahren auf EC 2,4, aber langsam, höchstens 0,3 je Stunde, sonst platzen die Früchte. Danach die Blattproben: aus den Reihen 2, 5 und 8, immer das fünfte Blatt von oben, zehn Blätter je Beutel. Beutel mit TS-25-04 und Reihe beschriften, sonst schmeißt das Labor sie weg wie im Mai. Nachtrag 18:20, Heike vom Labor hat angerufen: Abholung nicht am Donnerstagmittag, sondern erst Freitag um 7:30. Proben also über Nacht in den Kühlschrank, nicht einfrieren.",
    },
  },
};
