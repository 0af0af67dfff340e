import type { WorkingState } from "../../working-state.ts";
import { many } from "../../filler.ts";

const journal = (seed: number, count: number, start: number): string[] =>
  many(seed, count, (i, pick, whole) => {
    const minute = start + Math.floor(i / 4);
    return `2025-11-12T${String(6 + Math.floor(minute / 60)).padStart(2, "0")}:${String(minute % 60).padStart(2, "0")}:${String(whole(60)).padStart(2, "0")}.${String(whole(1000)).padStart(3, "0")}Z ${pick(["INFO", "INFO", "WARN", "ERROR", "DEBUG"])} ${pick(["valid-gw", "titre-api", "liste-noire", "synchro", "clef-hsm"])}-${whole(6)} ${pick(
      [
        "validation acceptée en 41 ms",
        "délai dépassé en attendant titre-api, nouvelle tentative",
        "file locale du validateur : 212 opérations",
        "lot de synchronisation refusé : signature inconnue",
        "connexion rendue au groupe",
        "liste noire version 8841 chargée",
        "horloge du validateur décalée de 3 s",
        "ouverture de session mTLS",
      ],
    )} ligne=${pick(["A", "B", "C", "T2"])} val=${whole(9000) + 1000}`;
  });

interface Courbe {
  readonly base: number;
  readonly pic: number;
  readonly from: number;
  readonly to: number;
}

const serie = (seed: number, count: number, { base, pic, from, to }: Courbe): number[] =>
  many(seed, count, (i, _pick, whole) => (i >= from && i < to ? pic + whole(Math.ceil(pic / 5)) : base + whole(Math.ceil(base / 4) + 1)));

/** The state of an incident agent of a city's ticketing system, stopped before the keys are rolled back on the second half of the validators. */
export const state: WorkingState = {
  name: "incident-validateurs",
  language: "fr",
  kind: "incident: timeline, metric arrays, logs, hypotheses with state, chat; French",
  focus: "finir le retour de clé sur les validateurs",
  human:
    "Incident INC-5530 : depuis 06:42 les validateurs des lignes B et T2 refusent les cartes ; but : rétablir la validation avant la pointe de 16:30, sans perdre les opérations en file. Interdit : ne jamais vider la file locale des validateurs (recettes) ; ne pas redémarrer clef-hsm-2, seule copie de la clé 2024. Cause confirmée : clé de signature K17 activée sur 1 204 validateurs au micrologiciel 4.8, qui ne la connaît pas. Hypothèses horloge et liste noire écartées. Décidé : revenir à K16 par lots de 150, pas de mise à jour du micrologiciel. Fait : ligne B ; reste T2 : lots 5 à 8, commande `valctl cle --retour K16 --lot 5`. Dernière erreur : lot 4 en échec, HSM code 0x6A82, 11 validateurs à reprendre à la main (dépôt Gerland). Ensuite vérifier que le taux de refus passe sous 0,5 % pendant 20 minutes. À faire : brouillon du compte rendu pour la régie, jeudi. Dernier mot de Solène : portiques ouverts à Bellecour jusqu'à 15:00 seulement.",
  questions: [
    { kind: "goal", q: "Que faut-il rétablir, pour quelle heure ?", answer: ["[Rr]établir la validation", "16 ?[:h] ?30"] },
    {
      kind: "prohibition",
      q: "Que ne faut-il jamais faire avec la file ?",
      answer: ["(?:jamais|pas|interdit)[\\s\\S]{0,60}?vider[\\s\\S]{0,60}?file|vider[\\s\\S]{0,40}?file[\\s\\S]{0,60}?(?:jamais|interdit)"],
    },
    {
      kind: "prohibition",
      q: "Quel serveur ne pas redémarrer ?",
      answer: [
        "(?:jamais|pas|interdit\\w*)[\\s\\S]{0,60}?clef-hsm-2|clef-hsm-2[\\s\\S]{0,100}?(?:jamais|pas |interdit)",
        "redémarr\\w*[\\s\\S]{0,60}?clef-hsm-2|clef-hsm-2[\\s\\S]{0,80}?redémarr",
      ],
    },
    { kind: "fact", q: "Quelle est la cause confirmée ?", answer: ["K17", "4\\.8"] },
    { kind: "decision", q: "Quelle réparation a été décidée ?", answer: ["K16[\\s\\S]{0,60}?lots de 150|lots de 150[\\s\\S]{0,60}?K16"] },
    { kind: "next", q: "Quelle commande lancer ensuite ?", answer: ["valctl cle --retour K16 --lot 5"] },
    { kind: "next", q: "Quel critère pour dire que c'est rétabli ?", answer: ["0,5 ?%[\\s\\S]{0,60}?20 min|20 min[\\s\\S]{0,60}?0,5 ?%"] },
    { kind: "error", q: "Quel lot a échoué, avec quel code ?", answer: ["lot 4", "0x6A82"] },
    {
      kind: "todo",
      q: "Quel document reste à écrire ?",
      answer: ["compte[- ]rendu[\\s\\S]{0,80}?régie|régie[\\s\\S]{0,80}?compte[- ]rendu"],
    },
    {
      kind: "recent",
      q: "Qu'a dit Solène en dernier ?",
      answer: ["Bellecour[\\s\\S]{0,120}?15 ?[:h] ?(?:00)?|15 ?[:h][\\s\\S]{0,80}?Bellecour", "portiques"],
    },
  ],
  context: {
    incident: {
      id: "INC-5530",
      gravite: "S1",
      ouvert: "2025-11-12T06:42:00Z",
      titre: "Refus de cartes, validateurs lignes B et T2",
      objectif: "Rétablir la validation sur B et T2 avant la pointe de 16:30, sans perdre une seule opération déjà en file.",
      roles: { commandement: "Solène", technique: "agent", exploitation: "Karim", communication: "Maud" },
      services: ["valid-gw", "titre-api", "clef-hsm", "synchro"],
    },
    chronologie: [
      { h: "06:42", t: "Première alerte, taux de refus 31 % ligne B." },
      { h: "06:50", t: "Cellule ouverte, Solène prend le commandement." },
      {
        h: "07:05",
        t: "Rappel de Karim (exploitation) : surtout ne jamais vider la file locale des validateurs, il y a la recette de la matinée dedans.",
      },
      { h: "07:31", t: "Redémarrage de valid-gw-3, sans effet." },
      {
        h: "08:12",
        t: "clef-hsm-1 remis en service. clef-hsm-2 : ne pas redémarrer, c'est la seule copie de la clé 2024 tant que la sauvegarde n'est pas vérifiée.",
      },
      { h: "09:20", t: "Comparaison des versions : tous les validateurs en refus sont au micrologiciel 4.8." },
      { h: "09:44", t: "Cause trouvée, voir H3." },
      { h: "10:30", t: "Essai sur un validateur au dépôt : retour à K16, validation en 38 ms." },
      { h: "11:15", t: "Ligne B : lots 1 à 3 passés." },
      { h: "12:48", t: "Lot 4 (T2, premier lot) en échec partiel." },
    ],
    metriques: {
      pas: "60 s",
      debut: "06:30",
      taux_refus_pct: {
        ligne_B: serie(601, 380, { base: 0, pic: 31, from: 12, to: 290 }),
        ligne_T2: serie(602, 380, { base: 0, pic: 27, from: 12, to: 380 }),
      },
      p95_ms: {
        valid_gw: serie(603, 380, { base: 44, pic: 610, from: 10, to: 120 }),
        titre_api: serie(604, 380, { base: 60, pic: 90, from: 20, to: 60 }),
      },
      file_locale: serie(605, 380, { base: 8, pic: 212, from: 14, to: 380 }),
      horloge_derive_s: serie(606, 120, { base: 1, pic: 3, from: 30, to: 50 }),
    },
    journaux: { requete: "service:(valid-gw OR synchro OR clef-hsm) niveau:*", lignes: journal(607, 230, 10), tronque: true },
    hypotheses: [
      { id: "H1", enonce: "Horloges décalées", etat: "écartée", pourquoi: "dérive de 3 s, tolérance 90 s" },
      {
        id: "H2",
        enonce: "Liste noire 8841 corrompue",
        etat: "écartée",
        pourquoi: "même somme de contrôle que sur la ligne A, qui marche",
      },
      {
        id: "H3",
        enonce: "La clé de signature K17 a été activée à 06:40 sur 1 204 validateurs dont le micrologiciel 4.8 ne connaît pas K17",
        etat: "CONFIRMÉE",
        pourquoi: "essai au dépôt à 10:30",
      },
      { id: "H4", enonce: "Saturation de titre-api", etat: "conséquence, pas cause", pourquoi: "les nouvelles tentatives" },
    ],
    decisions: [
      {
        n: 1,
        h: "08:30",
        quoi: "Mettre à jour tous les micrologiciels en 4.9",
        etat: "abandonnée",
        pourquoi: "40 minutes par validateur, impossible avant la pointe",
      },
      {
        n: 2,
        h: "10:41",
        quoi: "Revenir à la clé K16 par lots de 150 validateurs, B d'abord, puis T2",
        etat: "en cours",
        pourquoi: "réversible, 9 minutes par lot",
      },
      {
        n: 3,
        h: "10:44",
        quoi: "On dit rétabli quand le taux de refus reste sous 0,5 % pendant 20 minutes sur les deux lignes",
        etat: "valable",
        pourquoi: "demande de la régie",
      },
    ],
    actions: [
      ...many(608, 3, (i) => ({ lot: i + 1, ligne: "B", commande: `valctl cle --retour K16 --lot ${i + 1}`, etat: "fait", reussis: 150 })),
      {
        lot: 4,
        ligne: "T2",
        commande: "valctl cle --retour K16 --lot 4",
        etat: "ÉCHEC PARTIEL",
        reussis: 139,
        sortie:
          "lot 4 : 139/150 ok\nerreur clef-hsm-1 : code 0x6A82 (objet clé introuvable) pour 11 validateurs, dépôt Gerland\nreprendre à la main avec la valise, ne pas rejouer le lot",
      },
      { lot: 5, ligne: "T2", commande: "valctl cle --retour K16 --lot 5", etat: "à lancer maintenant" },
      { lot: 6, ligne: "T2", etat: "en attente" },
      { lot: 7, ligne: "T2", etat: "en attente" },
      { lot: 8, ligne: "T2", etat: "en attente" },
    ],
    a_suivre: [
      "vérifier la sauvegarde de clef-hsm-2 (équipe sécurité)",
      "brouillon du compte rendu pour la régie, à rendre jeudi",
      "remercier le dépôt",
    ],
    fil: [
      { de: "Maud", h: "11:20", m: "Message voyageurs publié, j'ai mis « perturbations », pas « panne »." },
      { de: "Karim", h: "11:58", m: "La B respire, merci. Sur T2 les conducteurs laissent monter." },
      {
        de: "agent",
        h: "12:50",
        m: "Lot 4 : 11 validateurs en erreur, Gerland doit les reprendre avec la valise. Je continue avec le lot 5 dès que vous dites oui.",
      },
      {
        de: "Solène",
        h: "12:56",
        m: "Oui, continue. Et note : les portiques de Bellecour restent ouverts jusqu'à 15:00, pas plus, le préfet ne veut pas au-delà.",
      },
    ],
  },
};
