import { type Context, type JsonValue, singularsOf, wordsOf } from "@workrail/core";

/** Parts of a handoff, in the order in which a successor needs them. */
export const HANDOFF_PARTS = ["goal", "rules", "turns", "work", "decisions", "failures", "references", "rest"] as const;
export type HandoffPart = (typeof HANDOFF_PARTS)[number];

/** Headings of the parts. */
export const TITLES: Readonly<Record<HandoffPart, string>> = {
  goal: "Goal",
  rules: "Instructions and limits",
  turns: "Last turns",
  work: "Open work",
  decisions: "Decisions",
  failures: "Findings and failures",
  references: "In play",
  rest: "Also saved",
};

const list = (text: string): readonly string[] => text.trim().split(/\s+/u);

/** Singular nouns that name a part in keys and headings. */
const NOUNS: ReadonlyMap<string, HandoffPart> = new Map(
  Object.entries({
    goal: list(`goal objective aim mission purpose intent target deliverable request task ask assignment problem ticket story brief scope
      specification spec acceptance criterion outcome quest project incident thesis topic subject title prompt
      auftrag ziel aufgabe zweck anliegen thema vorhaben projekt objectif but tâche tache demande mission sujet projet objetivo tarea meta encargo misión pedido tema proyecto`),
    rules:
      list(`rule constraint requirement policy instruction preference limit guideline prohibition restriction forbidden never must dont warning caution guardrail
      invariant convention condition freeze deadline embargo nogo boundary caveat principle standard compliance legal requirements window accept acceptance
      vorgabe regel einschränkung auflage bedingung verbot anweisung frist hinweis wunsch règle regle contrainte exigence consigne interdit interdiction condition délai
      regla restricción restriccion requisito norma instrucción instruccion prohibición prohibido condición plazo aviso`),
    work: list(`todo next nxt step plan pending open blocker blocked backlog status progress state current followup remainder remaining roadmap agenda subtask phase milestone action doing wip
      now position question where handoff queue resume pointer cursor stage stopped situation upcoming idea proposal suggestion retry
      schritt stand offen plan aufgabenliste arbeit nächste nächster nächstes naechste nächstens blockade fortschritt ablauf étape etape prochain prochaine suite suivre reste avancement statut état etat
      pendiente siguiente próximo proximo paso estado avance faltante etapa seguimiento propuesta vorschlag idée idee`),
    decisions:
      list(`decision choice rationale adr verdict approach architecture design strategy conclusion resolution tradeoff agreed agreement chosen reason why
      entscheidung beschluss grund begründung festlegung décision choix raison decisión decision elección eleccion motivo acuerdo`),
    failures:
      list(`failed failure error err exception traceback stderr rejected deadend tried attempt problem issue bug ruledout excluded discarded abandoned dismissed hypothesis lesson learned pitfall gotcha mistake risk incident finding cause
      gescheitert fehler verworfen versuch problem ursache échec echec erreur rejeté abandonné essai cause fallo fallido error descartado intento causa problema hallazgo`),
    references:
      list(`file path diff change module directory command cmd id identifier branch commit url link contact env environment repo repository version marker account customer people owner
      datei pfad befehl kennung zweig kontakt fichier chemin commande identifiant branche contact archivo ruta comando identificador rama contacto cliente kunde client`),
  }).flatMap(([part, nouns]) => nouns.map((noun): [string, HandoffPart] => [noun, part as HandoffPart])),
);

/** Words that decide at any position: `openQuestions` are open work, `rejectedApproaches` failed. */
const FIRST: ReadonlyMap<string, HandoffPart> = new Map(
  Object.entries({
    rules: list("forbidden never must dont prohibited verboten interdit prohibido"),
    failures: list("failed rejected discarded abandoned excluded dismissed tried gescheitert verworfen échoué rejeté fallido descartado"),
    work: list("open pending blocked remaining outstanding unresolved unanswered unfinished offen pendiente"),
  }).flatMap(([part, found]) => found.map((word): [string, HandoffPart] => [word, part as HandoffPart])),
);

/** Word parts for languages without spaces. */
const PIECES: readonly (readonly [HandoffPart, RegExp])[] = [
  ["goal", /目标|任务|目的|主题|课题|目標|タスク|依頼|課題|ゴール|案件|需求/u],
  ["rules", /规则|约束|限制|禁止|注意|要求|须知|原则|期限|ルール|制約|規則|条件|遵守|締切|方針事項|約束/u],
  ["work", /下一步|待办|后续|跟进|计划|进度|状态|未完成|当前|接下来|步骤|今後|宿題|次|予定|残り|未完了|進捗|状況|現在|計画|手順|やること/u],
  ["decisions", /决定|决策|结论|选择|理由|決定|判断|方針|結論|選択/u],
  ["failures", /失败|错误|放弃|教训|问题|排除|失敗|エラー|却下|問題|原因|試した|試行/u],
  ["references", /文件|路径|命令|编号|分支|联系|ファイル|コマンド|番号|連絡|担当/u],
];

/**
 * Returns the part that a key or heading names; `undefined` when it names none. The last matching word decides: `filesChanged`
 * are references.
 */
export function partOfName(name: string): HandoffPart | undefined {
  for (const [part, pattern] of PIECES) if (pattern.test(name)) return part;
  const words = wordsOf(name);
  for (const word of words) {
    const part = FIRST.get(word);
    if (part !== undefined) return part;
  }
  for (const word of words.toReversed()) {
    for (const form of [...singularsOf(word), word.replace(/n$/u, ""), word.replace(/e[ns]?$/u, "")]) {
      const part = NOUNS.get(form);
      if (part !== undefined) return part;
    }
  }
  return undefined;
}

/** Names of histories, whose newest item is the last. */
const HISTORIES = new Set(
  list(`history log journal timeline transcript message conversation thread turn event step update note diary activity chat dialog dialogue trace fil échange echange hilo
    conversación conversacion charla mensaje mensajes gespräch gespraech unterhaltung nachricht nachrichten verlauf tagebuch protokoll historique historial diario bitácora registro`),
);
const HISTORY_PIECES = /聊天|沟通|消息|対話|やりとり|やり取り|チャット|メッセージ|记录|日志|历史|对话|履歴|記録|日誌|会話|経過|ログ/u;
/** Endings of German compounds. */
const HISTORY_ENDS = /(?:verlauf|protokoll|tagebuch|journal|historie)$/u;

export function isHistoryName(name: string): boolean {
  if (HISTORY_PIECES.test(name)) return true;
  return wordsOf(name).some(
    (word) => HISTORY_ENDS.test(word) || HISTORIES.has(word) || singularsOf(word).some((form) => HISTORIES.has(form)),
  );
}

const LATEST = new Set(
  list("last latest newest recent letzte letzter letztes neueste dernier dernière derniere último ultimo última ultima reciente"),
);

/** True for names of the newest of a kind: `lastMessage`. */
export function isLatestName(name: string): boolean {
  return /最近|最后|最新|最後|直近/u.test(name) || wordsOf(name).some((word) => LATEST.has(word));
}

const OBSOLETE = new Set(
  list(
    "old previous obsolete superseded deprecated archive archived former veraltet überholt ancien ancienne obsolète antiguo antigua obsoleto",
  ),
);

/** True for names of outdated data: `oldPlan`. */
export function isObsoleteName(name: string): boolean {
  return (
    /旧|作废|过期|廃止|没案/u.test(name) ||
    wordsOf(name).some((word) => singularsOf(word).some((form) => OBSOLETE.has(form)) || OBSOLETE.has(word))
  );
}

const LONGEST_GOAL = 160;

/** Returns the goal of a context in one short line; `undefined` when the context does not state one. */
export function goalOf(context: Context): string | undefined {
  const goals = Object.entries(context).filter(([key]) => partOfName(key) === "goal");
  const text = goals.map(([, value]) => firstText(value)).find((found) => found !== undefined);
  if (text === undefined) return undefined;
  const line = text.replaceAll(/[\s\p{Cc}\p{Cf}]+/gu, " ").trim();
  return line.length <= LONGEST_GOAL ? line : `${line.slice(0, LONGEST_GOAL - 3).toWellFormed()}...`;
}

/** Returns the first non-empty text in a value. */
function firstText(value: JsonValue): string | undefined {
  if (typeof value === "string") return value.trim() === "" ? undefined : value;
  if (typeof value !== "object" || value === null) return undefined;
  for (const member of Object.values<JsonValue>(value)) {
    const text = firstText(member);
    if (text !== undefined) return text;
  }
  return undefined;
}
