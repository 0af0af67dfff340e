import type { BlindSet } from "../blind-set.ts";

/** Agents that run the desk of a car repair shop: diagnoses, parts, estimates and appointments. */
export const BLIND_GARAGE: BlindSet = {
  CRITICAL: [
    ["customerRequest", "Find the rattle at low speed and fix it, but call before anything above 300 EUR."],
    ["pickup_promise", "Car was promised for Friday 13 November, 16:00; the customer leaves for the airport at 17:00."],
    ["cost.ceiling", { amount: 650, currency: "EUR", includesTax: true, exceedOnlyWithConsent: true }],
    ["window", "The paint booth is ours only on 18 and 19 November; the bumper has to be sprayed then or not this year."],
    [
      "log",
      [
        { d: "2026-11-02", txt: "Decided: replace both front struts, not only the left one" },
        { d: "2026-11-03", txt: "Decided: keep the old top mounts" },
      ],
    ],
    ["x7", "Owner is allergic to latex: never leave gloves or seat covers made of it in the car."],
    ["hv_safety_rule", "No work on the orange cables until the battery is isolated and a second person has measured zero volts."],
    ["diagnosisVerdict", "Engine is beyond repair; do not order any parts for it."],
    ["parts-policy", "Only original brake parts on fleet cars, no exceptions, the leasing company checks it."],
    ["dbg_info", "Customer's preference: text messages only, never call before noon."],
    ["doneWhen", ["no fault code after 30 km", "brake test within 10% left to right", "interior cleaned"]],
    [
      "kundenauftrag",
      "Hauptuntersuchung vorbereiten und alle Mängel beheben, die zum Durchfallen führen; Schönheitsfehler bleiben, wie sie sind.",
    ],
    ["zusage_termin", "Der Transporter muss am 20. November um 7:00 fertig auf dem Hof stehen, das ist fest zugesagt."],
    ["ding3", "Mit dem Kunden entschieden: Das Getriebe wird nicht überholt, es kommt ein Austauschgetriebe hinein."],
    ["limite_devis", "Pas un euro de plus que 480 sans accord écrit du client."],
    ["demandeCliente", "Remplacer le pare-brise et garder la vignette ; elle veut récupérer la voiture avant le 24 novembre."],
    ["restriccionTaller", "No se puede subir al elevador 2 ningún vehículo de más de 2,5 toneladas."],
    ["cosa", "Decidido por el jefe: la furgoneta pasa delante de todo y el turismo espera hasta el lunes."],
    ["客户要求", "只换机油和滤芯,其他项目一律不做,总价不得超过六百元。"],
    ["cache_text", "已经决定:变速箱不修,直接更换总成,客户已书面同意。"],
    ["納車期限", "11月25日の午前中までに必ず引き渡すと約束済み。"],
    ["tmp.memo", "お客様のご要望:中古部品は使わないこと。喫煙車の代車は不可。"],
  ],
  IMPORTANT: [
    ["scanLoopCounter", 19],
    ["当前循环", 11],
    ["progress", "Compression test done: cylinders 1, 2 and 4 are fine, cylinder 3 holds only 6 bar, so the head has to come off."],
    ["rattleHypotheses", ["heat shield at the rear silencer", "worn anti-roll bar link", "loose spare wheel"]],
    ["next_action", "Swap the ignition coils of 2 and 3 and see whether the misfire moves with the coil."],
    ["findings.brakes", ["rear left caliper sticks", "handbrake cable frayed", "front discs at 21.4 mm"]],
    [
      "why_not_used_engine",
      "A used engine was cheaper at first sight, but without a service record the warranty risk eats the difference.",
    ],
    [
      "p5",
      "It looks like a bad earth: all three faults appear only when the headlights are on, and they vanish with a jumper to the body.",
    ],
    ["remainingSteps", ["fit the belt", "bleed the coolant", "road test"]],
    ["counterfeitPartRisk", "The pads from supplier C have no batch mark; if they are fakes, eleven cars are affected."],
    ["retry", "Second attempt taught us that the hub only comes off cold; heating it made it seize, so use the puller next time."],
    ["needsRoadTest", true],
    [
      "timestampAnalysis",
      "The fault memory shows all three codes within two seconds of the cold start, which speaks for low voltage and not for the sensors.",
    ],
    ["fehlersuche_ergebnis", "Der Kriechstrom kommt vom Anhängermodul: Mit gezogener Sicherung 14 sinkt er von 310 auf 22 mA."],
    ["offenePunkte", ["Passt die Felge über den größeren Sattel?", "Zahlt die Versicherung den Leihwagen?"]],
    [
      "zaehler",
      "Überlegung: Der Tacho wurde wohl getauscht, denn das Serviceheft nennt 2023 schon mehr Kilometer als heute angezeigt werden.",
    ],
    ["analyse.panne", "La pompe perd sa pression à chaud seulement ; le joint est donc plus suspect que le régulateur."],
    ["etapes_restantes", ["purger le circuit", "contrôler la géométrie", "essai sur route"]],
    ["sospecha-principal", "El ruido viene del rodamiento trasero derecho, porque cambia al girar a la izquierda y no al frenar."],
    ["resumenTrabajo", "Se cambió la correa, se probó en frío y en caliente; el tirón sigue, así que queda por mirar la admisión."],
    ["故障分析", "冷车启动困难,热车正常,油压在停车两小时后降为零,因此怀疑单向阀泄漏。"],
    ["yy", "接下来的步骤:先测蓄电池静态电流,再逐个拔保险丝排查。"],
    ["診断所見", ["右後輪のベアリングに遊びあり", "排気漏れは触媒の手前"]],
  ],
  USEFUL: [
    ["obdRaw", "7E8 06 41 00 BE 3F A8 13\n7E8 04 41 0C 0B 54\n7E8 03 41 05 7B"],
    [
      "parts_catalog",
      [
        { no: "BP-1120", name: "brake pad set", price: 48.9 },
        { no: "BD-2201", name: "brake disc", price: 61.5 },
        { no: "OF-0031", name: "oil filter", price: 9.8 },
      ],
    ],
    ["torque.table", { wheelBolt: 120, caliper: 35, drainPlug: 30, sparkPlug: 25 }],
    ["invoiceTemplate", "INVOICE no. ____\nCustomer: ____\nVehicle: ____\nLabour: ____\nParts: ____\nTotal: ____"],
    ["smsDraft", "Draft: Hello, this is the workshop. Your winter tyres have arrived and we can fit them at any time. Best regards"],
    ["stock", { "OF-0031": 14, "BP-1120": 3, "WB-0450": 22 }],
    [
      "manual-excerpt",
      "To remove the air filter box, undo the clamp, pull off the hose, release the four clips and lift the box upwards. Fit in reverse order.",
    ],
    [
      "supplierSearch",
      [
        { supplier: "A", price: 112, days: 2 },
        { supplier: "B", price: 104, days: 4 },
      ],
    ],
    [
      "item9",
      "plate;make;model;year;km\nAA-101;Brand A;Estate;2016;144210\nAA-102;Brand B;Van;2019;98120\nAA-103;Brand A;Hatch;2021;40310",
    ],
    [
      "voicemail_transcript",
      "Hi, it's about the blue estate. I just wanted to hear how things are going and whether the coffee machine is working again. Bye.",
    ],
    [
      "service.history",
      [
        { km: 30100, work: "oil" },
        { km: 60240, work: "oil, brake fluid" },
        { km: 90010, work: "belt" },
      ],
    ],
    [
      "teileliste",
      [
        ["Bremsbelag vorn", 2],
        ["Bremsscheibe vorn", 2],
        ["Bremsflüssigkeit", 1],
      ],
    ],
    [
      "angebotEntwurf",
      "Entwurf: Sehr geehrte Damen und Herren, gern bieten wir Ihnen den Radwechsel samt Einlagerung an. Mit freundlichen Grüßen",
    ],
    [
      "handbuch_auszug",
      "Auszug: Zum Ausbau der Batterie die Abdeckung lösen, erst den Minuspol, dann den Pluspol abklemmen und den Halter abschrauben.",
    ],
    [
      "catalogue-pieces",
      [
        { ref: "FH-10", nom: "filtre à huile", prix: 11.2 },
        { ref: "FA-22", nom: "filtre à air", prix: 17.6 },
      ],
    ],
    ["exempleFacture", "Exemple de facture : vidange 45,00 ; filtre 11,20 ; main-d'œuvre 60,00 ; total 116,20."],
    ["lista_precios", { aceite: 42, bujias: 36.5, escobillas: 19.9 }],
    [
      "配件目录",
      [
        { 编号: "LX-01", 名称: "机油滤芯", 价格: 35 },
        { 编号: "LX-07", 名称: "空气滤芯", 价格: 58 },
      ],
    ],
    ["seibi-tejun-sho", "作業手順書の抜粋:車両を水平な場所に置く。ドレンボルトを外し、古い油を抜く。新しいパッキンを付けて締め付ける。"],
  ],
  EPHEMERAL: [
    ["job_uuid", "5b0f3c1e-9d1a-4f7e-8a55-0f2e6b1d7c90"],
    ["lastRefresh", "2026-11-04T13:07:21Z"],
    ["estimatePdfTmp", "/tmp/est-20881.pdf.part"],
    ["promise_checked_at_ms", 1793797641000],
    ["requestHash", "md5:0b9e77aa"],
    ["elapsed.sec", 73],
    ["sidebar-open", true],
    ["debugTrace", "enter scan() -> open port -> read 12 bytes -> leave scan()"],
    ["n0", "poll #118 done in 40 ms, sleeping 5 s"],
    ["rate_limit_remaining", 37],
    ["versuchszaehler", 2],
    ["zuletztGespeichert", "2026-11-04T13:05:00+01:00"],
    ["id_requete", "rq-88-3010"],
    ["indexBoucle", 6],
    ["pct_barra", 48],
    ["一時ファイル", "/tmp/shindan-0412.tmp"],
  ],
};
