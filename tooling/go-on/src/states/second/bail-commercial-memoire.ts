import type { WorkingState } from "../../working-state.ts";
import { many } from "../../filler.ts";

/** LangChain memory of a legal research assistant working on a rent indexation clause, in French; its summary buffer is older than the last turns. */

interface LcMessage {
  readonly type: "human" | "ai" | "tool";
  readonly data: {
    readonly content: string;
    readonly additional_kwargs: Readonly<Record<string, unknown>>;
    readonly response_metadata?: Readonly<Record<string, unknown>>;
    readonly tool_call_id?: string;
    readonly name?: string | null;
    readonly id: string;
    readonly example: false;
  };
}

let n = 0;

function human(content: string): LcMessage {
  n += 1;
  return { type: "human", data: { content, additional_kwargs: {}, id: `h-${n}`, name: null, example: false } };
}

function ai(content: string, toolName?: string, args?: Readonly<Record<string, unknown>>): LcMessage {
  n += 1;
  const additional_kwargs =
    toolName === undefined
      ? {}
      : { tool_calls: [{ id: `call_${n}`, type: "function", function: { name: toolName, arguments: JSON.stringify(args ?? {}) } }] };
  return {
    type: "ai",
    data: {
      content,
      additional_kwargs,
      response_metadata: { finish_reason: toolName === undefined ? "stop" : "tool_calls", logprobs: null },
      id: `run-${n}`,
      name: null,
      example: false,
    },
  };
}

function tool(name: string, content: string): LcMessage {
  n += 1;
  return { type: "tool", data: { content, additional_kwargs: {}, tool_call_id: `call_${n - 1}`, name, id: `t-${n}`, example: false } };
}

const decisions = (seed: number, count: number): string =>
  many(
    seed,
    count,
    (i, pick, whole) =>
      `${i + 1}. ${pick(["CA Paris", "CA Lyon", "CA Douai", "CA Versailles", "Cass. 3e civ.", "CA Bordeaux", "TJ Nantes"])}, ${1 + whole(28)} ${pick(["janvier", "mars", "mai", "septembre", "novembre"])} ${2014 + whole(10)}, n° ${10 + whole(13)}/${String(1000 + whole(8999))} : ${pick(["clause d'échelle mobile excluant la baisse", "bail dérogatoire, sans portée", "déplafonnement du loyer de renouvellement", "distorsion entre période de variation et durée", "charge de la preuve du paiement", "congé avec refus de renouvellement"])} ; ${pick(["confirmation", "infirmation partielle", "cassation", "rejet", "irrecevabilité"])}. Pertinence ${(whole(100) / 100).toFixed(2).replace(".", ",")}`,
  ).join("\n");

const quittances = many(
  603,
  40,
  (i, pick, whole) =>
    `T${1 + (i % 4)} ${2014 + Math.floor(i / 4)} | loyer HT ${String(4200 + i * 38 + whole(30))} € | ILC appliqué ${(108 + i / 2).toFixed(2).replace(".", ",")} | ${pick(["quittance", "quittance", "avis d'échéance", "relevé bancaire"])}`,
)
  .filter((line) => !line.startsWith("T3 2021"))
  .join("\n");

const messages: readonly LcMessage[] = [
  human(
    "Bonjour. Dossier 24-0877, notre client est le preneur, une boulangerie au port. Le bailleur applique depuis dix ans une clause d'indexation qui ne joue qu'à la hausse. Il me faut une note de recherche pour Maître Delorme : la clause peut-elle être écartée et que peut-on récupérer ?",
  ),
  ai("Bien reçu. Je commence par la jurisprudence sur les clauses excluant la baisse.", "recherche_juris", {
    q: "clause indexation hausse seule bail commercial réputée non écrite",
    taille: 40,
  }),
  tool("recherche_juris", decisions(601, 40)),
  ai(
    "Quarante décisions, une dizaine utiles. Deux lignes : nullité de la clause entière, ou seule stipulation interdisant la baisse réputée non écrite.",
  ),
  human(
    "Une règle du cabinet avant d'aller plus loin : le nom du client ne doit jamais être saisi dans une base externe, on utilise le numéro de dossier. Et dites-moi ce que vous avez comme pièces pour les loyers.",
  ),
  ai("Noté. Je lis les pièces.", "lire_pieces", { dossier: "24-0877", type: "loyers" }),
  tool("lire_pieces", `${quittances}\nremarque : T3 2021 absent, le client cherche la quittance`),
  ai(
    "Tableau des loyers commencé, 39 trimestres sur 40. Reste à compléter le trimestre T3 2021, la quittance manque, à demander de nouveau au client par l'intermédiaire de Sonia.",
  ),
  human("Faut-il plaider l'imprévision, article 1195 ? Le stagiaire y tient."),
  ai(
    "Non, à mon avis : le bail est de 2014, antérieur à l'ordonnance de 2016, l'article 1195 ne s'applique pas. Je propose l'article L. 112-1 du code monétaire et financier.",
  ),
  human("D'accord, on retient L. 112-1 CMF et on écarte l'article 1195. C'est tranché avec Me Delorme ce matin."),
  ai("Je cherche les arrêts d'appel récents.", "recherche_juris", {
    q: "L. 112-1 CMF stipulation prohibée seule réputée non écrite indivisibilité",
    taille: 45,
  }),
  tool("recherche_juris", decisions(604, 45)),
  ai("L'arrêt CA Rennes, 12 janvier 2022 nous est très favorable, je l'ai mis en tête de la partie I."),
  human(
    "Attention ! J'ai vérifié : CA Rennes, 12 janvier 2022 a été cassé l'an dernier. À retirer de la partie I immédiatement. Désormais aucun arrêt ne doit être cité sans avoir été vérifié sur Légifrance, la base du cabinet n'est pas à jour.",
  ),
  ai("Toutes mes excuses. L'arrêt est repéré en rouge, pas encore retiré du corps du texte (notes 4 et 9)."),
  human(
    "Stratégie revue avec Me Delorme : on ne demande plus la nullité de la clause entière. Seule la stipulation interdisant la baisse est réputée non écrite, l'indexation reste. C'est moins, mais c'est solide. Prescription : cinq ans, l'assignation est du 6 novembre 2024, donc les indus se comptent depuis le 6 novembre 2019.",
  ),
  ai("Compris. Le plan devient : I. la stipulation prohibée ; II.A. l'étendue de la sanction ; II.B. la restitution de l'indu."),
  human("Où en êtes-vous ?"),
  ai(
    "I est rédigée, II.A aussi. La suite : vérifier sur Légifrance le pourvoi n° 21-17.402, sur lequel repose tout II.A, puis rédiger II.B sur la restitution de l'indu avec le tableau.",
    "legifrance",
    { pourvoi: "21-17.402" },
  ),
  tool("legifrance", "HTTP 503, service momentanément indisponible. Réessayer après 14 h."),
  human("Me Delorme part plus tôt que prévu : la note est pour le 18 avril, pas le 25. Huit pages au plus, annexes non comprises. Merci."),
];

export const state: WorkingState = {
  name: "bail-commercial-memoire",
  language: "fr",
  kind: "legal research; LangChain memory with an outdated summary buffer, French",
  focus: "vérifier le pourvoi puis rédiger II.B",
  human:
    "Dossier 24-0877, nous sommes pour le preneur : note de recherche pour Maître Delorme sur la clause d'indexation à la hausse seule ; pour le 18 avril, pas le 25 (résumé périmé), huit pages au plus. Le nom du client ne doit jamais être saisi dans une base externe. Aucun arrêt ne doit être cité sans avoir été vérifié sur Légifrance. On retient L. 112-1 CMF et on écarte l'article 1195. Seule la stipulation interdisant la baisse est réputée non écrite. Indus depuis le 6 novembre 2019. Erreur : CA Rennes, 12 janvier 2022 a été cassé, à retirer (notes 4 et 9). Suite : vérifier sur Légifrance le pourvoi n° 21-17.402 (503, après 14 h), puis rédiger II.B, restitution de l'indu. Reste à compléter T3 2021 (Sonia).",
  questions: [
    { kind: "goal", q: "Que faut-il remettre, à qui ?", answer: ["note de recherche pour Maître Delorme", "indexation"] },
    { kind: "prohibition", q: "Que ne faut-il jamais saisir dans une base externe ?", answer: ["nom du client[\\s\\S]{0,40}?jamais"] },
    { kind: "prohibition", q: "Quels arrêts ne doivent pas être cités ?", answer: ["[Aa]ucun arrêt ne doit être cité sans"] },
    { kind: "decision", q: "Quel fondement a été retenu, lequel écarté ?", answer: ["retient L\\. 112-1", "écarte l'article 1195"] },
    { kind: "decision", q: "Quelle sanction demande-t-on désormais ?", answer: ["[Ss]eule la stipulation interdisant la baisse"] },
    { kind: "next", q: "Quel pourvoi faut-il vérifier d'abord ?", answer: ["21-17\\.402"] },
    { kind: "next", q: "Quelle partie rédiger ensuite ?", answer: ["rédiger II\\.B"] },
    { kind: "todo", q: "Quel trimestre manque au tableau ?", answer: ["compléter[\\s\\S]{0,20}?T3 2021"] },
    { kind: "error", q: "Quel arrêt est à retirer ?", answer: ["Rennes, 12 janvier 2022 a été cassé"] },
    { kind: "recent", q: "Quelle date et quelle longueur ont été fixées en dernier ?", answer: ["18 avril", "[Hh]uit pages"] },
  ],
  context: {
    lc: 1,
    type: "constructor",
    id: ["langchain", "memory", "ConversationSummaryBufferMemory"],
    kwargs: {
      max_token_limit: 6000,
      memory_key: "history",
      return_messages: true,
      human_prefix: "Collaboratrice",
      ai_prefix: "Assistant",
      moving_summary_buffer:
        "La collaboratrice demande une recherche dans le dossier 24-0877 (bail commercial, indexation à la hausse seule). L'assistant a réuni quarante décisions. Stratégie envisagée : demander la nullité de la clause entière, subsidiairement l'imprévision (art. 1195). L'arrêt de la CA de Rennes de janvier 2022 est jugé très favorable. La note est attendue pour le 25 avril. Le tableau des loyers est commencé.",
      summary_updated_after: "ai run-14",
      chat_memory: { messages },
    },
    etat_redaction: {
      I: "rédigée",
      "II.A": "rédigée, sous réserve du pourvoi",
      "II.B": "vide",
      pages: 5.5,
      fichier: "24-0877_note_v4.odt",
    },
    jetons: { entree: 48211, sortie: 3910 },
  },
};
