import type { WorkingState } from "../../working-state.ts";
import { many } from "../../filler.ts";

const phrases = (seed: number, count: number): string =>
  many(seed, count, (i, pick, whole) => {
    const debut = pick([
      "Ce matin-là",
      "Vers le soir",
      "Sous la pluie fine",
      "Depuis la galerie",
      "Au bout de la cale",
      "Avant l'aube",
      "Dans la cuisine froide",
      "Derrière la chapelle",
      "Une fois la lampe éteinte",
      "Comme chaque dimanche",
      "À mi-pente",
      "Sans un mot",
    ]);
    const sujet = pick([
      "Yann",
      "Maëlle",
      "le vieux Corentin",
      "la veuve Abgrall",
      "le curé",
      "le gardien",
      "Jos le passeur",
      "l'institutrice",
    ]);
    const verbe = pick([
      "regarda longtemps",
      "compta deux fois",
      "rangea",
      "tira vers lui",
      "laissa tomber",
      "reconnut",
      "essuya du revers de la manche",
      "fit semblant d'oublier",
      "porta jusqu'à la porte",
      "chercha des yeux",
      "nomma tout bas",
    ]);
    const objet = pick([
      "les casiers empilés",
      "la lunette de cuivre",
      "le registre des feux",
      "une poignée de goémon",
      "la barque retournée",
      "les bidons de pétrole",
      "la clef de la soute",
      "les bottes encore mouillées",
      "le pain de la veille",
      "un bout de filin",
      "les vitres salées",
      "la photographie sans cadre",
    ]);
    const suite = pick([
      "et le vent fit le reste",
      "comme on salue un mort",
      "tandis que la houle reprenait son travail",
      "sans que personne y trouvât à redire",
      "puis la brume monta d'un coup",
      "car il n'y avait rien d'autre à faire",
      "et l'on entendit la corne, très loin",
      "pendant que les poules se disputaient l'abri",
      "avec cette lenteur qui tenait lieu de politesse",
    ]);
    const fin =
      whole(4) === 0
        ? ` « ${pick(["Tu viendras demain", "On ne parle pas de ça ici", "Le feu d'abord", "C'était avant la digue", "Demande à ta mère", "Il reste de la soupe"])} », dit ${pick(["la veuve", "Corentin", "le passeur", "l'institutrice"])}.`
        : "";
    return `${debut}, ${sujet} ${verbe} ${objet}, ${suite}.${fin}${i % 9 === 8 ? "\n\n" : ""}`;
  }).join(" ");

interface Note {
  readonly date: string;
  readonly qui: string;
  readonly note: string;
}
interface Chapitre {
  readonly n: number;
  readonly titre: string;
  readonly etat: string;
  readonly mots: number;
  readonly extrait: string;
  readonly notes: readonly Note[];
}

const note = (date: string, qui: string, texte: string): Note => ({ date, qui, note: texte });
interface Avancement {
  readonly etat: string;
  readonly longueur: number;
  readonly notes: readonly Note[];
  readonly fin?: string;
}

const chapitre = (n: number, titre: string, { etat, longueur, notes, fin = "" }: Avancement): Chapitre => ({
  n,
  titre,
  etat,
  mots: longueur * 128,
  extrait: longueur === 0 ? "" : `${phrases(700 + n, longueur)} ${fin}`.trim(),
  notes,
});

/** A novelist's assistant with the chapters of a novel and their notes, stopped in the third scene of chapter twelve. */
export const state: WorkingState = {
  name: "phare-kerledan",
  language: "fr",
  kind: "roman en cours; chapitres avec notes par chapitre",
  focus: "écrire la scène de la barque au chapitre 12",
  human:
    "Roman « Le Phare de Kerlédan » : premier jet complet, 18 chapitres, environ 90 000 mots, à remettre à Solène (éditrice) le 15 novembre. Ne jamais révéler avant le chapitre 15 que Maëlle est la fille du gardien. Pas de retour en arrière en italique. Passé simple partout, l'essai au présent du chapitre 6 est abandonné. Chapitres 1 à 11 écrits. Maintenant : chapitre 12, scène 3, la barque : Yann trouve la lettre du 3 mars 1962 dans la boîte à biscuits, il ne la lit pas. Ensuite reprendre la fin du chapitre 9, couper le monologue du curé. Erreur à corriger : au chapitre 11 la pleine mer est à 7 h, alors que le chapitre 8 dit basse mer à 6 h 40, même jour ; c'est le 8 qui a raison. Yann est gaucher et boite de la jambe droite. À demander à Tanguy : le nettoyage de la cuve à mercure. Dernier message de Solène : supprimer l'inspecteur Le Goff, ses répliques passent au syndic.",
  questions: [
    { q: "Que faut-il remettre, et quand ?", kind: "goal", answer: ["18 chapitres", "15 novembre"] },
    {
      q: "Quel secret faut-il garder, et jusqu'où ?",
      kind: "prohibition",
      answer: [
        "(?:[Nn]e|[Jj]amais|[Rr]ien)[\\s\\S]{0,100}?chapitre 15[\\s\\S]{0,100}?fille du gardien|fille du gardien[\\s\\S]{0,100}?(?:jamais|pas|avant le chapitre 15)",
      ],
    },
    {
      q: "Quelle forme de retour en arrière est exclue ?",
      kind: "prohibition",
      answer: [
        "(?:[Pp]as|[Aa]ucun|[Jj]amais|sans)[\\s\\S]{0,50}?(?:retours? en arrière|flash-back)[\\s\\S]{0,40}?italique|italique[\\s\\S]{0,60}?(?:pas|aucun|jamais|exclu)",
      ],
    },
    {
      q: "Quel temps du récit ?",
      kind: "decision",
      answer: ["passé simple partout|[Pp]assé simple[\\s\\S]{0,80}?(?:présent|chapitre 6)[\\s\\S]{0,60}?abandonn"],
    },
    { q: "Quelle incohérence corriger ?", kind: "error", answer: ["pleine mer[\\s\\S]{0,120}?6 h 40|6 h 40[\\s\\S]{0,160}?pleine mer"] },
    { q: "Quelle scène écrire maintenant ?", kind: "next", answer: ["[Ss]cène 3[\\s\\S]{0,160}?barque", "boîte à biscuits"] },
    {
      q: "Et ensuite ?",
      kind: "next",
      answer: ["chapitre 9[\\s\\S]{0,120}?monologue du curé|monologue du curé[\\s\\S]{0,120}?chapitre 9"],
    },
    { q: "Que demander à Tanguy ?", kind: "todo", answer: ["Tanguy[\\s\\S]{0,160}?mercure"] },
    {
      q: "Que demande Solène en dernier ?",
      kind: "recent",
      answer: ["supprim[\\s\\S]{0,60}?Le Goff|Le Goff[\\s\\S]{0,60}?supprim", "syndic"],
    },
    { q: "Traits physiques de Yann ?", kind: "fact", answer: ["gaucher", "jambe droite"] },
  ],
  context: {
    livre: {
      titre: "Le Phare de Kerlédan",
      genre: "roman, contemporain avec arrière-plan 1962",
      contrat:
        "Premier jet complet, 18 chapitres, environ 90 000 mots, à remettre à Solène le 15 novembre ; lectures en décembre, parution à l'automne suivant",
      narration: "troisième personne, au plus près de Yann",
    },
    personnages: [
      {
        nom: "Yann Quéré",
        age: 41,
        role: "revient vendre la maison",
        details: "gaucher, boite de la jambe droite depuis le bateau (pas la gauche, cf. ch. 2 corrigé)",
      },
      { nom: "Maëlle", age: 63, role: "tient l'épicerie", details: "parle peu ; ne prend jamais le bac" },
      { nom: "Corentin", age: 88, role: "dernier gardien vivant", details: "sourd d'une oreille quand ça l'arrange" },
      { nom: "Le syndic des gens de mer", age: 55, role: "autorité, papier timbré", details: "collectionne les nœuds" },
      { nom: "L'inspecteur Le Goff", age: 50, role: "vient de Brest pour l'enquête", details: "ch. 7, 10" },
    ],
    chapitres: [
      chapitre(1, "Le bac", { etat: "relu", longueur: 34, notes: [note("02/06", "auteur", "Ouverture trop météo, raccourcie.")] }),
      chapitre(2, "La maison basse", {
        etat: "relu",
        longueur: 36,
        notes: [note("09/06", "assistant", "Main droite remplacée par main gauche partout, Yann écrit de la gauche.")],
      }),
      chapitre(3, "Maëlle", {
        etat: "relu",
        longueur: 38,
        notes: [
          note(
            "15/06",
            "auteur",
            "Tout le livre tient à ceci : ne jamais laisser entendre avant le chapitre 15 que Maëlle est la fille du gardien. Ni ressemblance, ni lapsus de Corentin, ni date.",
          ),
          note("16/06", "assistant", "Retiré la remarque de la veuve sur ses yeux."),
        ],
      }),
      chapitre(4, "Le registre des feux", {
        etat: "relu",
        longueur: 40,
        notes: [note("23/06", "auteur", "Les extraits du registre en romain, entre guillemets.")],
      }),
      chapitre(5, "Jos", { etat: "relu", longueur: 33, notes: [] }),
      chapitre(6, "Grand frais", {
        etat: "relu",
        longueur: 42,
        notes: [
          note("04/07", "auteur", "J'essaie le présent ici, pour la tempête. À voir si on y passe tout le livre."),
          note("11/07", "auteur", "Relu à froid : non. Passé simple partout, le présent du chapitre 6 est abandonné, réécrit le 12."),
        ],
      }),
      chapitre(7, "L'homme de Brest", {
        etat: "écrit",
        longueur: 39,
        notes: [note("20/07", "Solène", "J'aime bien, mais qui est cet inspecteur, et pourquoi maintenant ?")],
      }),
      chapitre(8, "Basse mer", {
        etat: "écrit",
        longueur: 41,
        notes: [
          note(
            "28/07",
            "assistant",
            "Vérifié avec l'annuaire : le mardi, basse mer à 6 h 40, coefficient 104. Tout le chapitre en dépend (ils passent à pied).",
          ),
        ],
        fin: "À six heures quarante, le passage se découvrit, luisant comme un dos.",
      }),
      chapitre(9, "Le sermon", {
        etat: "à reprendre",
        longueur: 47,
        notes: [
          note(
            "06/08",
            "Solène",
            "La collection ne prend pas ce genre de chose : aucun retour en arrière en italique, s'il te plaît. Celui du sermon, tu peux le fondre dans le récit.",
          ),
          note("07/08", "assistant", "Italique supprimé, trois paragraphes fondus. La fin reste trop longue."),
        ],
      }),
      chapitre(10, "Procès-verbal", {
        etat: "écrit",
        longueur: 37,
        notes: [note("19/08", "auteur", "Le PV est trop drôle pour être vrai, mais je le garde.")],
      }),
      chapitre(11, "Pleine mer", {
        etat: "écrit",
        longueur: 40,
        notes: [
          note(
            "30/08",
            "assistant",
            "Problème : même mardi qu'au chapitre 8, et ici la pleine mer est à 7 h. Impossible vingt minutes après une basse mer à 6 h 40. Le 8 a raison, décaler le 11 vers 12 h 50. Pas encore fait.",
          ),
        ],
      }),
      chapitre(12, "La boîte", {
        etat: "en cours",
        longueur: 19,
        notes: [
          note(
            "08/09",
            "auteur",
            "Trois scènes. 1 : la cave (faite). 2 : dispute avec l'institutrice (faite). Scène 3 : la barque. Yann y trouve, dans la boîte à biscuits, la lettre du 3 mars 1962. Il la glisse dans sa veste, il ne la lit pas : la lecture est au chapitre 14.",
          ),
          note(
            "08/09",
            "auteur",
            "Quand ce sera fait, on reprend la fin du chapitre 9 : couper le monologue du curé, une page et demie, garder la phrase sur les noyés.",
          ),
        ],
      }),
      chapitre(13, "Le bain de mercure", {
        etat: "plan",
        longueur: 0,
        notes: [
          note(
            "10/09",
            "auteur",
            "Corentin montre la cuve. Il me manque le geste exact : demander à Tanguy (ancien des Phares et Balises) comment on nettoyait la cuve à mercure, avec quoi, à combien. Lettre pas encore partie.",
          ),
        ],
      }),
      chapitre(14, "3 mars", { etat: "plan", longueur: 0, notes: [] }),
      chapitre(15, "Ce que savait Corentin", {
        etat: "plan",
        longueur: 0,
        notes: [note("10/09", "auteur", "La révélation, par le silence.")],
      }),
      chapitre(16, "La vente", { etat: "plan", longueur: 0, notes: [] }),
      chapitre(17, "Relève", { etat: "plan", longueur: 0, notes: [] }),
      chapitre(18, "Le bac, retour", {
        etat: "plan",
        longueur: 0,
        notes: [note("02/06", "auteur", "Dernière phrase déjà écrite, dans le carnet bleu.")],
      }),
    ],
    echanges: [
      { le: "01/09", de: "auteur", texte: "On avance bien. Deux chapitres par quinzaine, sinon on ne tient pas." },
      { le: "03/09", de: "assistant", texte: "Onze chapitres, 54 000 mots. Liste des reprises à jour dans les notes." },
      {
        le: "11/09",
        de: "auteur",
        texte:
          "Solène m'a appelé. Elle veut qu'on supprime l'inspecteur Le Goff : un représentant de l'ordre suffit. Ses répliques utiles passent au syndic, chapitres 7 et 10. Elle a raison, ça m'agace. Mais d'abord la barque.",
      },
    ],
    compteur: { chapitres_ecrits: 11, mots: 54_656, objectif: 90_000 },
  },
};
