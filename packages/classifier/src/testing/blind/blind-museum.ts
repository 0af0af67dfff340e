import type { BlindSet } from "../blind-set.ts";

/** Agents that prepare a museum's exhibitions and the loans from and to other houses. */
export const BLIND_MUSEUM: BlindSet = {
  CRITICAL: [
    [
      "curatorBrief",
      "Put together the loan list for 'Salt and Silver', opening 12 June 2027: at most 60 objects, a third of them from lenders outside Europe.",
    ],
    ["loan.limits", { maxLux: 50, relHumidity: [45, 55], maxDisplayDays: 90 }],
    ["window", "Installation is only possible from 3 to 14 March 2027; the gallery goes to the builders on 15 March and that cannot move."],
    [
      "log",
      [
        { at: "2026-10-02", text: "Decided with the director: the drawings travel in two separate shipments." },
        { at: "2026-10-09", text: "Decided: venue three is dropped from the tour." },
      ],
    ],
    ["x7", "The lender insists: the reliquary must never be tilted and must not go as air cargo."],
    ["must_not_publish", ["insurance values", "storage locations", "courier routes"]],
    ["insCap", "Insured value per truck may not exceed 4.5 million EUR, a condition of the state indemnity."],
    ["panel3-verdict", "Not fit to travel. Panel 3 stays at home."],
    ["out_of_scope", ["the permanent collection", "the museum shop"]],
    [
      "auftrag",
      "Leihanfragen für die Ausstellung »Glas am Fluss« vorbereiten; jede Anfrage muss vor dem Versand der Direktorin vorgelegt werden.",
    ],
    ["rueckgabe_zusage", "Rückgabe der zwölf Aquarelle bis spätestens 30. September 2027 zugesagt, eine Verlängerung ist ausgeschlossen."],
    ["tmpNotiz", "Entschieden: Das Triptychon bleibt in Saal 4, die Vitrine wird nicht versetzt."],
    ["exigences.preteur", ["vitrine climatisée", "50 lux au maximum", "convoiement obligatoire à l'aller et au retour"]],
    ["data2", "Décision du comité : on renonce au prêt de la tapisserie, trop fragile pour voyager."],
    ["presupuesto_max", "El transporte no puede pasar de 82 000 EUR, IVA incluido; no habrá ampliación."],
    [
      "peticionDirectora",
      "Que todas las cartelas estén en español y en inglés antes de la inauguración, con letra de 18 puntos como mínimo.",
    ],
    ["策展要求", "展品不得超过八十件,所有借展品必须在六月一日之前到馆。"],
    ["buf", "馆长已经决定:青铜鼎不出借,改用复制品展出。"],
    ["yusou-joken", "屏風は必ず水平のまま運ぶこと。輸送中の温度は18度から22度の範囲を外れてはならない。"],
    ["last_msg_note", "ご依頼:図録は日英併記とし、個人蔵の作品は所蔵者名を絶対に載せないこと。"],
  ],
  IMPORTANT: [
    ["progress", "Rooms 1 to 4 are hung; the light survey found three cases above the limit, all of them under the new skylight film."],
    [
      "condition_findings",
      ["lifting veneer on the left door", "old woodworm in the plinth, not active", "silver leaf is later than the frame"],
    ],
    ["nextUp", ["call the Lisbon registrar about the crates", "read the facility report of venue two", "then rank the remaining lenders"]],
    [
      "whyNotSea",
      "Sea freight was set aside because six weeks in a container make humidity a gamble for vellum, and road plus ferry costs only 8% more.",
    ],
    ["openQs", ["Who pays the courier's second night?", "Is the bronze base original?"]],
    [
      "d4",
      "I suspect the flaking comes from the 1974 varnish and not from the climate: both flaked panels were treated then, the untreated one is sound.",
    ],
    ["courier.plan", { step1: "pick up in Ghent", step2: "overnight in the bonded store", step3: "unpack after 24 h of acclimatisation" }],
    ["needsSecondConservator", true],
    ["loopIdx", 14],
    [
      "logger-temp-analysis",
      "The peaks fall on Tuesdays at 09:00, when the dock door stands open for deliveries; the sensor itself is fine.",
    ],
    [
      "loanRiskAssessment",
      [
        { risk: "customs strike in week 9", weight: "high" },
        { risk: "late export licence", weight: "medium" },
      ],
    ],
    ["completed_steps", ["facility reports requested", "wall plan checked against fire exits", "lenders' contact list cleaned"]],
    ["risiken", ["Die Ausfuhrgenehmigung für die Handschrift kommt womöglich zu spät", "Nur eine Spedition hat Kisten der Klasse A"]],
    [
      "zwischenstand",
      "Von 41 Anfragen sind 29 beantwortet; alle Absagen betreffen Papierarbeiten, deshalb suche ich nun Ersatz in der Druckgrafik.",
    ],
    [
      "hypothese_craquelures",
      "Les craquelures suivent les nœuds du bois : c'est sans doute le panneau qui travaille et non la couche picturale.",
    ],
    ["resteAFaire", ["relancer le prêteur de Gand", "vérifier le plan d'évacuation de la salle 2"]],
    ["resumenConversacion", "La comisaria quiere menos vitrinas; probamos con doce y aún veía la sala llena; ahora compara diez con ocho."],
    [
      "estrategia.prestamos",
      "Primero los museos con convenio, después las fundaciones y por último las colecciones privadas, que tardan más en contestar.",
    ],
    ["tick", "下一步:先核对第二展厅的承重,再重新排列大型石刻的位置。"],
    ["虫害分析", "三处虫蛀都靠近北墙,而北墙湿度比其他墙面高百分之九,原因很可能是墙内水管渗漏。"],
    ["懸念点", ["地下収蔵庫の搬入口が狭い", "借用先の学芸員が三月に不在"]],
    ["memo3", "比較検討の結果、吊り展示は安いが揺れに弱く、台座展示は高いが安全。今のところ後者に傾いている。"],
  ],
  USEFUL: [
    [
      "objectList",
      [
        { inv: "1931.12", title: "Salt cellar", heightCm: 14 },
        { inv: "1952.7a", title: "Ewer", heightCm: 31 },
        { inv: "2004.88", title: "Tray", heightCm: 4 },
      ],
    ],
    [
      "facility_report_text",
      "Section 4. Climate. The galleries are served by two air handling units built in 2009. Section 5. Doors. The goods lift measures 2.4 by 3.1 by 2.8 metres. Section 6. Floors. Oak parquet on concrete, load tested in 2018.",
    ],
    [
      "labelDraft_v3",
      "DRAFT. Ewer, about 1720. Silver, partly gilt. The spout takes the shape of a heron; water would have been poured over the hands of the guests.",
    ],
    [
      "crateSizes",
      [
        [120, 80, 45],
        [210, 95, 60],
        [64, 64, 64],
      ],
    ],
    [
      "search-results",
      [
        { title: "Silver marks of the Baltic towns", year: 1998 },
        { title: "Salt tax and table ware", year: 2011 },
      ],
    ],
    ["loanFormTemplate", "LOAN AGREEMENT\nLender: ________\nBorrower: ________\nObject: ________\nPeriod: from ____ to ____"],
    [
      "q9",
      "inv_no;title;material;room\n1931.12;Salt cellar;silver;2\n1931.13;Salt cellar;silver;2\n1952.7a;Ewer;silver gilt;3\n1952.7b;Basin;silver gilt;3",
    ],
    ["venue.openingHours", { tue: "10-18", wed: "10-18", thu: "10-21", sat: "10-20" }],
    ["visitor_numbers_2025", { jan: 8120, feb: 7904, mar: 10233, apr: 12018 }],
    [
      "wandtextEntwurf",
      "Entwurf: Wer im 17. Jahrhundert Salz auf den Tisch stellte, zeigte Reichtum. Das Salz kam über Flüsse, das Silber über das Meer.",
    ],
    [
      "speditionsangebote",
      [
        { firma: "Spedition A", preis: 18400 },
        { firma: "Spedition B", preis: 17950 },
        { firma: "Spedition C", preis: 21100 },
      ],
    ],
    [
      "inventar-auszug",
      "Inv. 44/1: Pokal mit Deckel, Glas, geschnitten, H. 28 cm. Inv. 44/2: Humpen, Glas, emailbemalt, H. 19 cm. Inv. 44/3: Schale, Glas, gerippt, Dm. 22 cm.",
    ],
    ["cartel_exemple", "Exemple de cartel : Aiguière, vers 1720, argent en partie doré, don anonyme, 1952."],
    [
      "tableauDimensions",
      [
        ["inv. 12", "45 x 60 cm"],
        ["inv. 13", "120 x 88 cm"],
        ["inv. 19", "31 x 24 cm"],
      ],
    ],
    ["fichaTecnica", { titulo: "Jarra con pico de garza", tecnica: "plata fundida y cincelada", medidas: "31 x 18 cm", peso_g: 1240 }],
    [
      "transcripcion-visita",
      "Guía: Pasen, por favor. A la izquierda ven un salero de 1690. Visitante: ¿Es todo de plata? Guía: La base sí, la tapa es de latón plateado.",
    ],
    [
      "展品目录",
      [
        { 编号: "甲-01", 名称: "青花盘", 尺寸: "口径32厘米" },
        { 编号: "甲-02", 名称: "白瓷壶", 尺寸: "高21厘米" },
      ],
    ],
    ["作品解説", "六曲一双の屏風。右隻に春の野、左隻に秋の川を描く。金箔の下地に岩絵具を厚く置き、波は胡粉で盛り上げている。"],
    ["kizai_ichiran", ["脚立", "水準器", "薄葉紙", "綿手袋", "照度計"]],
  ],
  EPHEMERAL: [
    ["wf_id", "wf-8c1e44d0-77"],
    ["lastPollAt", "2026-11-04T08:12:55Z"],
    ["thumbCachePath", "/tmp/thumbs-3391/0007.jpg"],
    ["curatorGoalHash", "sha256:9f31c0aa47be"],
    ["retriesLeft", 2],
    ["scroll.top", 1840],
    ["dbgOut", "08:12:51 DEBUG open socket\n08:12:51 DEBUG read 4096 bytes\n08:12:52 DEBUG close socket"],
    ["decision_saved_at", 1793779975],
    ["k1", "heartbeat ok 12:04:07; heartbeat ok 12:04:12; heartbeat ok 12:04:17"],
    ["note2", "spinner on, 41 of 120 thumbnails rendered"],
    ["aktuellerVersuch", 3],
    ["ladebalken-prozent", 62],
    ["horodatage", "2026-11-04T09:30:00+01:00"],
    ["journal_debug", "10:02:11 DEBUG ouverture de la connexion\n10:02:12 DEBUG fermeture de la connexion"],
    ["rutaTemporal", "/tmp/exportacion-5521.part"],
    ["请求编号", "req-20261104-0093"],
    ["経過秒", 48.2],
  ],
};
