import type { JsonValue } from "@workrail/core";
import { expect, it } from "vitest";
import { classifyEntry } from "./word-classifier.ts";

const layerOf = (key: string, value: JsonValue): string => classifyEntry(key, value).layer;

it.each([
  ["note_3", "Decision: we rent the smaller van", "CRITICAL"],
  ["k2", "Beschluss von gestern: Die Tür wird gelb", "CRITICAL"],
  ["m4", "ご要望:二階の部屋を使う", "CRITICAL"],
  ["q1", "Assessment: the roof will hold for another winter", "IMPORTANT"],
  ["p7", "Excerpt: the tide rises twice a day", "USEFUL"],
  ["handover_remark", "Muster: Sehr geehrte Damen und Herren", "USEFUL"],
  ["info_2", "Customer: Hanke GmbH, Hamburg", "USEFUL"],
  ["z9", "Request failed: the connection was reset", "USEFUL"],
  ["k9", "§ 12. Der Mieter muss die Räume pflegen.", "USEFUL"],
  ["z2", "From: a@example.org\nTo: b@example.org\nSubject: tiles\n\nPlease call me.", "USEFUL"],
])("reads %s by how its text begins: %s", (key, text, layer) => {
  expect(layerOf(key, text)).toBe(layer);
});

it.each([
  ["team_memo", "The committee has chosen the blue tiles."],
  ["note_conseil", "Le conseil a décidé de fermer la salle bleue."],
  ["reunion_memo", "La junta decidió esperar hasta mayo."],
  ["pond_rules_info", "Nobody but the keeper may feed the fish."],
  [
    "items",
    [
      { day: 1, decision: "use oak" },
      { day: 2, decision: "no varnish" },
    ],
  ],
])("finds what was decided in %s, whose name says little", (key, value) => {
  expect(layerOf(key, value)).toBe("CRITICAL");
});

it.each([
  ["team_memo", "It is not yet clear whether the board has chosen a venue."],
  ["session_note", "We still do not know why the pump stops"],
])("takes no open question in %s for a decision: %s", (key, value) => {
  expect(layerOf(key, value)).toBe("IMPORTANT");
});

it("reads a noun of thinking in front of its subject, but not in front of a container", () => {
  expect(layerOf("risk.supply", "Only one firm makes the seals and it closes in August")).toBe("IMPORTANT");
  expect(layerOf("findings_roof", ["two slates are loose", "the gutter holds no water"])).toBe("IMPORTANT");
  expect(layerOf("analysisScript", "import csv\n\nrows = list(csv.reader(open('a.csv')))\nprint(rows)\n")).toBe("USEFUL");
  expect(layerOf("finding_photos", ["front.jpg", "back.jpg"])).toBe("USEFUL");
});

it("recognises limits in every notation, and due times", () => {
  expect(layerOf("max_load", { limit: 30, hard: true, unit: "t" })).toBe("CRITICAL");
  expect(layerOf("deliverBefore", "The form goes in on 12 May 2027 at the latest")).toBe("CRITICAL");
  expect(layerOf("paintedBy", "Anna Berg, 12 May 1927")).not.toBe("CRITICAL");
});

it("classifies a set of hashes as EPHEMERAL, and keeps figures by number", () => {
  expect(layerOf("seenBefore", { a81f: 1, "9c0d": 4 })).toBe("EPHEMERAL");
  expect(layerOf("onTheShelf", { "4711": 3, "4712": 9 })).toBe("USEFUL");
});
