import type { WorkingState } from "../../working-state.ts";
import { many } from "../../filler.ts";

const mots = [
  "tapisserie",
  "dentelle",
  "broderie",
  "metier-jacquard",
  "teinture",
  "indienne",
  "costume",
  "soierie",
  "atelier",
  "collection-permanente",
  "conference",
  "visite-guidee",
] as const;

function urls(seed: number, count: number): string {
  return many(
    seed,
    count,
    (index, pick, whole) =>
      `spip.php?article${1200 + index * 3 + whole(3)};/${pick(["collections", "expositions", "agenda", "recherche", "presse"])}/${pick(mots)}-${pick(mots)}-${10 + whole(89)}/;${pick(["ok", "ok", "ok", "vue"])}`,
  ).join("\n");
}

function sortieImport(seed: number, count: number): string {
  return many(
    seed,
    count,
    (index, pick, whole) =>
      `[imp] art ${1410 + index * 4} rub ${1 + whole(40)} ${pick(["titre", "chapo", "texte", "doc joint", "mots-clés"])} ${pick(["importé", "importé", "importé", "déjà là, ignoré", "lien interne réécrit", "vignette recréée"])} (${2 + whole(600)} ms) mém ${90 + whole(60)}M`,
  ).join("\n");
}

function journal(seed: number, count: number): string {
  return many(
    seed,
    count,
    (index, pick, whole) =>
      `${String(12 + Math.floor(index / 9)).padStart(2, "0")}/05 ${8 + (index % 9)}h${String(whole(60)).padStart(2, "0")} ${pick(["essai thème, marges ok", "plugin cache désactivé le tps des essais", "appel mairie, rien de neuf", "droits fichiers corrigés", "rub. presse relue", "menu bas de page refait", "police auto-hébergée (rgpd)", "formulaire contact testé", "test mobile ok", "liens morts : 14 corrigés"])}`,
  ).join("\n");
}

/** Someone moving a textile museum's website from SPIP to WordPress, stopped at an article with a broken encoding. */
export const state: WorkingState = {
  name: "migration-site-musee",
  language: "fr",
  kind: "flat keys with abbreviations; French",
  focus: "relancer l'import des articles puis les redirections",
  human:
    "But : passer le site du musée du textile de SPIP 3.2 à WordPress, en ligne le 2 juin (ouverture de l'expo). Ne jamais toucher au DNS avant le feu vert de Maëlle (DSI). Interdit de réécrire les cartels, copie à l'identique (droits des auteurs). Décidé : redirections 301 dans une map nginx, pas d'extension WordPress. Erreur : import arrêté à l'article 1874, chapo en latin1 dans une base utf8. Suite : relancer avec --depuis 1874 --jeu latin1, puis générer la map avec gen_map.py depuis lst_url. En cours : galerie photos, 312 sur 540 images. Dernier message de Solène : masquer la page boutique, contrat non signé. Gel éditorial le 28 mai à 18h. Sauvegarde : /srv/bkp/spip-0521.tgz.",
  questions: [
    { q: "Quel est le but, pour quand ?", answer: ["WordPress|wordpress|WP", "2 juin"], kind: "goal" },
    {
      q: "À quoi ne pas toucher sans feu vert ?",
      answer: ["(?:jamais|pas)[\\s\\S]{0,30}?DNS|DNS[\\s\\S]{0,60}?(?:jamais|pas|interdit)", "Maëlle"],
      kind: "prohibition",
    },
    {
      q: "Quels textes sont intouchables ?",
      answer: ["(?:interdit|Interdit|ne pas|jamais)[\\s\\S]{0,40}?cartels|cartels[\\s\\S]{0,60}?(?:interdit|jamais|identique)"],
      kind: "prohibition",
    },
    { q: "Comment faire les redirections ?", answer: ["map nginx", "(?:pas d'extension|pas d'ext|sans extension)"], kind: "decision" },
    {
      q: "Où et pourquoi l'import s'est-il arrêté ?",
      answer: ["1874[\\s\\S]{0,160}?latin1|latin1[\\s\\S]{0,160}?1874", "chapo[\\s\\S]{0,40}?latin1"],
      kind: "error",
    },
    { q: "Avec quelles options relancer ?", answer: ["--depuis 1874 --jeu latin1"], kind: "next" },
    { q: "Que générer ensuite, avec quoi ?", answer: ["gen_map\\.py"], kind: "next" },
    { q: "Où en est la galerie ?", answer: ["312 (?:/|sur|de) 540"], kind: "todo" },
    { q: "Que demande Solène en dernier ?", answer: ["masquer[\\s\\S]{0,30}?boutique|boutique[\\s\\S]{0,60}?masqu"], kind: "recent" },
    { q: "Quand commence le gel éditorial ?", answer: ["28 mai[\\s\\S]{0,6}?18 ?h"], kind: "fact" },
  ],
  context: {
    obj: "passer site musée du textile SPIP 3.2 -> WordPress",
    obj_v1: "simple mise à jour SPIP 3.2 -> 4.1 (abandonné en avril)",
    dte_lim: "en ligne le 2 juin, ouverture expo « Fils d'or »",
    dte_lim_anc: "15 mai",
    cli: "musée du textile, contact Solène (com), DSI mairie = Maëlle",
    srv_anc: "mutualisé, PHP 7.2, ssh port 2207",
    srv_nv: "VPS debian 12, nginx, PHP 8.2, MariaDB 10.11",
    bkp: "/srv/bkp/spip-0521.tgz (vérifiée, 3,8 Go)",
    gel: "plus d'ajout d'articles par les rédacteurs à partir du 28 mai 18h, Solène les a prévenus",
    int_1: "ne jamais toucher au DNS avant feu vert de Maëlle (mail du 6/05 : la messagerie de la mairie est sur la même zone)",
    int_2: "interdit de réécrire les cartels, même fautes d'orthographe : copie à l'identique, les auteurs ont gardé leurs droits",
    pref_1: "pas de bandeau cookies, donc pas de stats google",
    pref_2: "accessibilité : contraste AA mini",
    dec_01: "thème enfant de twentytwentyfour, pas de constructeur de pages",
    dec_02: "[périmé] redirections par extension Redirection",
    dec_02b: "remplace dec_02 : redirections 301 en map nginx, pas d'extension (2 300 règles = admin à genoux lors du test du 14/05)",
    dec_03: "rubriques SPIP -> catégories, mots-clés -> étiquettes",
    dec_04: "agenda : articles datés, pas de module calendrier",
    etp_01: "vps prêt OK",
    etp_02: "thème OK",
    etp_03: "import rubriques OK",
    etp_04: "import articles -> planté voir err_der",
    etp_05: "galerie photos en crs : 312 / 540 images (légendes à reprendre une à une)",
    etp_06: "redir à faire : python3 gen_map.py < lst_url > /etc/nginx/map_spip.conf, mais seult qd tous les art. sont là (sinon trous)",
    etp_07: "recette avec Solène",
    etp_08: "bascule",
    sui: "relancer ./imp_spip.php --depuis 1874 --jeu latin1 puis etp_06",
    srt_imp: `${sortieImport(501, 116)}\n[imp] art 1874 rub 22 chapo ERREUR SQLSTATE[HY000]: 1366 Incorrect string value: '\\xE9toffe' for column 'chapo'\n[imp] arrêt, 1873 traités`,
    err_der:
      "imp bloqué art. 1874 : chapo saisi en latin1 dans une base utf8 (vieux import de 2009), idem sans doute pour la suite jusqu'à 1931",
    err_anc: "15/05 vignettes noires -> GD manquant, réglé",
    lst_url: urls(502, 330),
    jrnl: journal(503, 82),
    msg_01: "Solène 06/05 : bonjour, les couleurs vont bien, merci de garder le logo en haut à gauche",
    msg_02: "Maëlle 06/05 : la zone DNS porte aussi la messagerie, vous attendez mon feu vert écrit svp",
    msg_03: "Solène 16/05 : ok pour l'agenda sans calendrier",
    msg_der:
      "Solène 22/05 17h40 : dernière chose, la page boutique est à masquer pour l'instant, le contrat avec le prestataire n'est pas signé. Le reste on voit lundi !",
    pct: 61,
    maj: "22/05 17h55",
    ver_fmt: 1,
    tmp_x: null,
  },
};
