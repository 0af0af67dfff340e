/**
 * Cues to the purpose of a sentence, in English, German, French, Spanish, Chinese and Japanese. The table in
 * docs/explanation/handoff.md lists some of the words.
 */
export interface Cues {
  /** True when something is forbidden. */
  readonly forbids: boolean;
  /** True when something holds under a condition, or with an exception. */
  readonly restricts: boolean;
  /** True when something must be done or kept. */
  readonly demands: boolean;
  readonly decides: boolean;
  /** True when something failed, was tried without success, or is ruled out. */
  readonly fails: boolean;
  /** True when something remains to be done, waits, or is in progress. */
  readonly isOpen: boolean;
}

/**
 * Tells whether a text has one of the cues, ignoring case. The text is lowercased, and a pattern is compiled when it is
 * first needed: a pattern that ignores case takes twice as long to compile, and a short-lived program needs few of them.
 */
const any = (...sources: readonly string[]): Pick<RegExp, "test"> => {
  let pattern: RegExp | undefined;
  return { test: (text) => (pattern ??= new RegExp(sources.join("|"), "u")).test(text.toLowerCase()) };
};
/**
 * Whole words of the Latin script. The class of its letters compiles five times as fast as that of all letters, and a word beside Chinese or
 * Japanese text counts too.
 */
const words = (text: string): string =>
  `(?<![a-z0-9_ß-ɏ])(?:${text
    .trim()
    .split(/\s*\n\s*|\s*\|\s*/u)
    .join("|")})(?![a-z0-9_ß-ɏ])`;

const FORBIDS = any(
  words(`never | must ?n[o']t | mustn't | do not | don['’]?t | may not | not allowed | not permitted | forbidden | prohibited | only (?:if|when|after|with|then|once)
    without (?:asking|permission|approval|my|the|explicit) | under no circumstances | hands off | not before | leave \\S+(?: \\S+){0,4} alone | off[- ]limits | frozen | freeze | froze | not to be
    no mention | (?:is|are) not to | nie | niemals | auf keinen fall | verboten | untersagt | (?:darf|dürfen|soll|sollen)(?: \\S+){0,6} (?:nicht|kein(?:e|en|er|em)?|erst|nur)
    kein(?:e|en|er|em)?(?: \\S+){0,4} (?:verschicken|verwenden|benutzen|ändern|anfassen|löschen|schreiben|nutzen|machen) | jamais | interdit(?:e|s|es)? | défense de | ne (?:doit|doivent|peut|faut)(?: \\S+)? (?:pas|jamais|plus)
    ne pas \\S+er | nunca | jamás | no (?:se )?(?:debe|debes|deben|puede|pueden|hay que|toques?|tocar|usar|uses|revela|borrar|cambiar) | prohibid[oa]s? | en ningún caso | (?:y )?no antes de`),
  "不要|不得|不能|不可|不许|不准|禁止|切勿|绝不|绝对不|勿|严禁|别(?!的|人|墅)",
  "禁止|しないで|してはいけない|してはならない|してはいけません|ないでください|ないこと|不可|厳禁|触らない|使わない|変えない|敷かない|打たない|[いかさたなまらわ]ない(?:と約束|こと|。約束)|一切|約束",
);
/** Conditions and exceptions. Many neutral sentences contain one of these words too. */
const RESTRICTS = any(
  words(`cannot | can['’]t | unless | until | only | no longer | not yet | avoid | no new | except | without | instead of
    nicht | kein(?:e|en|er|em)? | darf | dürfen | nur | erst | bevor | ohne | bis (?:zum|zur|auf|es|die|der|das)
    ne \\S+ pas | n['’]\\S+ pas | uniquement | seulement | sauf | sans | avant (?:de|que|le|la) | jusqu['’]\\S+ | aucun(?:e)? | s[oó]lo | únicamente | hasta (?:que|el|la) | salvo | excepto`),
  "只能|只有|仅|直到|之前",
  "だけ|のみ|まで|しない|せず|以外",
);
/** Capitals with which people forbid something in notes. */
const SHOUTS = /(?<!\p{L})(?:NOT|NEVER|MUST|ONLY|DO NOT|DON'T|NO|NICHT|NIE|NUR|JAMAIS|NUNCA|NO TOCAR)(?!\p{L})/u;
const DEMANDS = any(
  words(`must | have to | has to | need(?:s)? to | required | always | please | make sure | ensure | keep | stays? | should | i want | we want | important | remember | careful | be sure | prefer | insist
    deadline | by (?:monday|tuesday|wednesday|thursday|friday|saturday|sunday|tomorrow|noon) | at (?:least|most) | no (?:more|less|later) than | limit(?:ed)? to | sign[- ]?off | approv(?:al|ed?|es)
    muss | müssen | soll(?:en|te)? | immer | bitte | wichtig | unbedingt | spätestens | mindestens | höchstens | achtung
    doit | doivent | il faut | toujours | veuillez | merci de | important | impératif | impérativement | au (?:plus|moins)
    debe(?:n|s)? | hay que | tiene(?:n)? que | siempre | por favor | importante | obligatori[oa] | a más tardar | como (?:máximo|mínimo)`),
  "必须|务必|一定要|一定|需要|请|应该|应当|至少|最多|注意|重要",
  "必ず|絶対|べき|ください|下さい|必要|重要|注意|以内|以上|以下|徹底",
);
const DECIDES = any(
  words(`decided | decision | decide | chose | chosen | choose | opted | went with | going with | because | rather than | instead | agreed | settled | approved | the reason | so that | trade-?off | picked | verdict | conclusion
    entschieden | entscheidung | beschlossen | weil | stattdessen | gewählt | grund | deshalb | daher
    décidé | décision | parce qu[e'] | choisi | plutôt que | convenu | retenu | car | raison
    decidid[oa] | decisión | decidimos | porque | elegid[oa] | elegimos | acordad[oa] | en lugar de | en vez de | motivo`),
  "决定|因为|采用|选择|改用|理由|原因|而不是|定为|确定",
  "決定|決め|決ま|採用|理由|ため(?:、|。|に)|選択|選ん|方針|にした|ではなく",
);
const FAILS = any(
  words(`fail(?:s|ed|ing|ure)? | error | did(?: not|n['’]t) (?:work|help) | does(?: not|n['’]t) work | ruled out | rejected | dead end | broken | breaks | broke | wrong | regress(?:ion|ed)? | revert(?:ed)? | rolled back | crash(?:es|ed)?
    root cause | caused by | turned out | in vain | no effect | useless | abandoned | do(?: not|n['’]t) (?:try|retry) | loses | lost | leak(?:s|ed)? | deadlock | flaky | bug | mistake | tried
    gescheitert | scheitert | fehler | fehlgeschlagen | funktioniert nicht | ausgeschlossen | verworfen | falsch | defekt | kaputt | ursache | vergeblich | doppelt
    échec | échou\\S+ | erreur | ne (?:marche|fonctionne) pas | exclu(?:e|s)? | faux | cassé | rejeté(?:e|s)? | abandonné(?:e|s)? | en vain
    fall[óo] | fallid[oa] | falla | error | no funcion[aó] | descartad[oa] | incorrect[oa] | rot[oa] | rechazad[oa] | causa | en vano`),
  "失败|错误|不行|排除|无效|报错|崩溃|放弃|根因|没用|行不通|问题(?:是|在)|教训",
  "失敗|エラー|うまくいか|除外|原因|誤り|間違|却下|不具合|落ち|ダメ|だめ|不採用|効果なし",
);
const OPEN = any(
  words(`next | todo | to[- ]do | then | remaining | still | open | pending | blocked | waiting | awaiting | in[- ]progress | continue | left to | not (?:yet )?(?:done|started|finished|resolved) | half | unfinished | outstanding | follow[- ]?up | tomorrow | after that | afterwards | now | wip | up next | remains | missing
    als nächstes | nächste[rsn]? | noch | offen | wartet | warten | blockiert | danach | in arbeit | fehlt | fehlen | morgen | weiter mit | ausstehend
    ensuite | prochaine?s? | reste | en attente | bloqué(?:e|s)? | en cours | puis | à faire | demain | manque
    siguientes? | luego | falta(?:n)? | pendientes? | bloquead[oa] | en curso | después | próxim[oa]s? | mañana | queda(?:n)? | por hacer`),
  "接下来|下一步|待办|待|尚未|还没|然后|阻塞|进行中|未完成|明天|剩下|还需|等待",
  "次に|次は|次の|残り|未完了|待ち|進行中|まだ|それから|明日|これから|未着手|保留|対応中|途中",
);

export function cuesIn(text: string): Cues {
  return {
    forbids: forbids(text),
    restricts: RESTRICTS.test(text),
    demands: DEMANDS.test(text),
    decides: decides(text),
    fails: FAILS.test(text),
    isOpen: isOpen(text),
  };
}

export function forbids(text: string): boolean {
  return FORBIDS.test(text) || SHOUTS.test(text);
}

/** True when the text demands something, or allows it only under a condition. */
export function demandsOrRestricts(text: string): boolean {
  return DEMANDS.test(text) || RESTRICTS.test(text);
}

export function decides(text: string): boolean {
  return DECIDES.test(text);
}

export function isOpen(text: string): boolean {
  return OPEN.test(text);
}

/** Beginnings of a prompt that only asks to continue earlier work. */
const CONTINUES = any(
  `^[^\\p{L}\\p{N}]*(?:(?:hi|hello|hey|ok|okay|yes|please|let['’]?s|(?:can|could|would) you|you can|now|just|and|bitte|hallo|ja|so|bonjour|salut|oui|hola|sí|por favor)[^\\p{L}\\p{N}]+)*(?:continue[rz]?|carry on|go on|keep going|go ahead|pick (?:it )?up(?= where)|(?:resume|proceed)(?=[^\\p{L}\\p{N}]*$| (?:the|our|my|your|this|that|it|work|working|where|from|with) )|where (?:were|are) we|where did we|what (?:were|was|are) (?:we|you|i) (?:doing|working)|what(?:['’]?s| is)? (?:next|left)|(?:mache?|fahre?) (?:bitte )?(?:weiter|fort)|weiter|wo (?:waren|sind) wir|continuons|repren(?:ds|ez|ons)|où en (?:étions|étais|sommes)|poursui(?:s|vez|vons)|contin[úu]a(?:r|mos)?|sigue|seguimos|sigamos|(?:por )?dónde (?:íbamos|estábamos|quedamos|nos quedamos))(?![\\p{L}\\p{N}_])`,
  "^(?:请|好的?[，,]?)*(?:继续|接着)",
  "^(?:続け|続き|再開)",
);
/** In characters. A longer prompt has a goal of its own. */
const LONGEST_CONTINUE = 160;

/** True when a prompt only asks to continue earlier work. */
export function asksToContinue(prompt: string): boolean {
  const text = prompt.trim();
  return text.length <= LONGEST_CONTINUE && CONTINUES.test(text);
}

/** Words of a status. */
const DONE = any(
  words(`done | completed? | finished | closed | resolved | merged | shipped | passed | ok | success(?:ful)? | cancell?ed | skipped | checked | fixed | sent | paid | x | yes | implemented | delivered | approved
    erledigt | fertig | abgeschlossen | geschlossen | gebucht | fini(?:e)? | terminé(?:e|s)? | fait(?:e|s)? | clos(?:e)? | hech[oa] | terminad[oa] | complet(?:ad)?[oa] | cerrad[oa] | list[oa]`),
  "已完成|完成|完毕|已解决|已关闭|结束",
  "完了|済み?|終了|解決|確定",
);
const ACTIVE = any(
  words(`in[-_ ]?progress | inprogress | doing | active | running | current | started | wip | ongoing | working | half | partial(?:ly)? | now | review | in[-_ ]review | testing
    in arbeit | läuft | begonnen | en cours | à lancer | à reprendre | partiel(?:le)? | en curso | activ[oa] | en proceso | iniciad[oa]`),
  "进行中|正在|处理中|部分",
  "進行中|作業中|対応中|途中|実行中",
);
const BLOCKED = any(
  words(
    `blocked | waiting | awaiting | on[-_ ]?hold | stuck | paused | failed | failing | error | blockiert | wartet | gesperrt | bloqué(?:e|s)? | en attente | bloquead[oa] | en espera | detenid[oa] | fehlgeschlagen | échoué | échec | ng | conflict | conflicto | konflikt | conflit | wrong | incorrect`,
  ),
  "阻塞|受阻|等待|卡住|失败|暂停|冲突|异常",
  "ブロック|待ち|保留|停止|失敗|誤り|要変更|要修正|要確認|不一致",
);
const PENDING = any(
  words(
    `pending | todo | to[-_ ]do | open | planned | not[-_ ]?started | backlog | queued | new | next | ready | scheduled | proposed | no | offen | geplant | ausstehend | à faire | prévu(?:e)? | ouvert(?:e)? | pendientes? | abiert[oa] | por hacer | por avisar | sin confirmar | à lancer | planificad[oa] | unresolved | outstanding`,
  ),
  "待办|未开始|待处理|计划|未完成|待定|未",
  "未着手|未完了|予定|未対応|候補|仮|未",
);

export type WorkState = "active" | "blocked" | "pending" | "done";

/** Returns the state that a status names; `undefined` for other words. */
export function workStateOf(given: string): WorkState | undefined {
  const status = given.replaceAll("_", " ");
  const isNegated = /^(?:not|un|nicht|noch nicht|pas|no)(?:[-_ ]|(?=done|finished|resolved))|(?:ていない|ません)$|^(?:未|没|尚未)/iu.test(
    status.trim(),
  );
  if (!isNegated && BLOCKED.test(status)) return "blocked";
  if (!isNegated && ACTIVE.test(status)) return "active";
  if (PENDING.test(status) || (isNegated && DONE.test(status))) return "pending";
  if (!isNegated && DONE.test(status)) return "done";
  return undefined;
}
