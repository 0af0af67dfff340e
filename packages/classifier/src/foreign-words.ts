/*
 * Words of keys in other languages, as data: `English word: words, words`. The English word is one of `vocabulary.ts` or a phrase
 * of `phrases.ts` with the same meaning. Endings and accents are ignored, so one form of a word suffices.
 */

const GERMAN = `
  goal: Ziel, Zielsetzung, Zweck
  requirement: Anforderung, Vorgabe, Voraussetzung, Pflicht, Lastenheft, Pflichtenheft, Erfordernis, Bedingung, Auflage
  request: Anfrage, Bitte, Anliegen, Wunsch, Wünsche, Bestellwunsch
  task: Auftrag, Aufgabe, Aufgabenstellung, Arbeitsauftrag
  instruction: Anweisung, Weisung, Vorschrift, Richtlinie
  rule: Regel, Grundsatz, Regelwerk, Gebot
  prohibition: Verbot, Tabu, Sperrliste, Ausschluss
  constraint: Einschränkung, Randbedingung, Rahmenbedingung, Beschränkung, Grenze, Grenzwert, Obergrenze, Untergrenze, Schranke, Nebenbedingung
  criterion: Kriterium, Kriterien, Abnahmekriterium, Akzeptanzkriterium, Maßstab
  acceptance: Abnahme, Akzeptanz
  decision: Entscheidung, Entscheid, Beschluss, Beschlüsse, Festlegung, Entschluss
  choice: Auswahl, Wahl
  preference: Vorliebe, Präferenz, Bevorzugung
  deadline: Frist, Abgabetermin, Stichtag
  budget: Budgetrahmen, Kostenrahmen
  answer: Antwort, Endantwort
  verdict: Urteil, Gutachten
  agreement: Vereinbarung, Absprache, Abmachung, Zusage
  approval: Freigabe, Genehmigung, Zustimmung
  problem statement: Problemstellung, Fragestellung, Aufgabenbeschreibung
  non goal: Nichtziel, Nichtziele
  must: muss, müssen, darf nicht, dürfen nicht
  never: nie, niemals, keinesfalls
  chosen: gewählt, ausgewählt, entschieden, beschlossen, vereinbart
  forbidden: untersagt
  taken: getroffen
  required: erforderlich, notwendig, verpflichtend, zwingend, verbindlich
  final: endgültig, abschließend
  success criterion: Erfolgskriterium, Erfolgskriterien
  finding: Erkenntnis, Erkenntnisse, Befund, Feststellung, Entdeckung
  result: Ergebnis, Ergebnisse, Resultat
  analysis: Analyse, Auswertung, Untersuchung
  observation: Beobachtung
  reason: Grund, Begründung, Motiv, Anlass, Beweggrund
  cause: Ursache
  root cause: Grundursache, Hauptursache
  hypothesis: Hypothese, Vermutung, Verdacht
  assumption: Annahme
  plan: Vorhaben, Planung, Zeitplan, Projektplan
  strategy: Strategie, Vorgehen, Vorgehensweise, Herangehensweise
  approach: Ansatz, Ansätze, Lösungsweg
  solution: Lösung
  risk: Risiko, Risiken, Gefahr
  question: Frage
  step: Schritt
  phase: Teilschritt, Bauabschnitt
  status: Stand, Zustand, Arbeitsstand, Sachstand, Zwischenstand, Projektstand
  progress report: Fortschritt, Zwischenbericht
  summary: Zusammenfassung, Überblick, Übersicht, Kurzfassung
  conclusion: Fazit, Schlussfolgerung, Folgerung
  todo: Erledigung, Merkliste, Restarbeit, Aufgabenliste, offene Aufgaben
  idea: Idee, Einfall
  recommendation: Empfehlung
  proposal: Vorschlag, Vorschläge
  evaluation: Bewertung, Beurteilung, Einschätzung, Abwägung
  issue: Problem, Schwierigkeit
  weakness: Schwäche, Mangel, Schwachstelle
  blocker: Hindernis, Hindernisse, Blockade
  lesson: Lehre, Lernpunkt
  insight: Einsicht
  outline: Gliederung, Entwurfsidee
  priority: Priorität
  responsibility: Zuständigkeit, Verantwortung
  warning: Warnung, Hinweis, Hinweise
  open point: Offenes, Unklarheit
  next: nächste, folgende, kommende
  current: aktuell, derzeitig, jetzig, laufend, gegenwärtig
  completed: erledigt, abgeschlossen, fertig, beendet
  open: offen, ungeklärt, unbeantwortet
  pending: ausstehend, anstehend
  remaining: verbleibend, restlich, übrig
  rejected: verworfen, abgelehnt, gescheitert
  blocked: blockiert, gesperrt
  file: Datei
  content: Inhalt
  text: Wortlaut
  query: Abfrage
  code: Quelltext, Quellcode, Programmtext
  configuration: Konfiguration, Einstellung
  output: Ausgabe, Testausgabe
  message: Nachricht
  conversation: Gespräch, Unterhaltung, Dialogverlauf
  history: Verlauf, Verläufe, Historie
  draft: Entwurf, Entwürfe
  template: Vorlage, Muster
  example: Beispiel
  table: Tabelle, Übersichtstabelle
  list: Liste, Verzeichnis, Auflistung
  record: Datensatz, Datensätze, Daten
  document: Dokument, Unterlage, Volltext, Rohtext, Fließtext
  contract text: Vertragstext, Gesetzestext
  customer: Kunde, Kundin
  user: Nutzer, Benutzer, Anwender
  error: Fehler, Fehlermeldung
  search: Suche, Suchergebnis, Suchergebnisse, Suchtreffer
  timestamp: Zeitstempel, Uhrzeit, Zeitpunkt
  duration: Dauer, Laufzeit, Wartezeit, Zeitaufwand
  start time: Startzeit, Beginn, Anfangszeit
  end time: Endzeit
  last: letzte, zuletzt
  update: Aktualisierung, Änderungszeit
  created: erstellt, angelegt
  changed: geändert
  on: am
  counter: Zähler
  count: Anzahl
  attempt: Versuch
  log: Protokoll, Protokolldatei
  cache: Zwischenspeicher
  id: Kennung, Bezeichner
  temporary: temporär
  provisional: vorläufig
  path: Pfad
  value: Wert
  number: Nummer
  time: Zeit
  workflow: Ablauf, Arbeitsablauf
  loop state: Schleifenzustand
  loop index: Schleifenindex, Schleifenzähler
  of: von, der, des, für
  contradiction: Widerspruch, Widersprüche
  evidence: Beleg, Nachweis, Beweis, Indiz
  alternative: Ausweichmöglichkeit, Möglichkeit
  comparison: Vergleich, Gegenüberstellung
  dependency: Abhängigkeit
  consequence: Folge, Auswirkung, Konsequenz
  action: Maßnahme, Handlung
  milestone: Meilenstein
  checklist: Prüfliste
  discussion: Diskussion, Besprechung
  concern: Bedenken, Sorge
  opinion: Meinung
  improvement: Verbesserung, Optimierung
  change: Änderung, Anpassung
  design: Gestaltung, Aufbau
  architecture: Architektur
  knowledge: Kenntnis, Wissen
  explanation: Erklärung, Erläuterung
  estimate: Schätzung, Aufwandsschätzung
  failure: Ausfall, Störung, Versagen
  workaround: Umgehung, Notlösung, Behelf
  owner: Verantwortliche
  duty: Verpflichtung
  permission: Erlaubnis, Berechtigung
  promise: Versprechen
  wanted: gewünscht, erwünscht, gefordert, verlangt
  missing: fehlend
  likely: wahrscheinlich, mutmaßlich
  possible: möglich, denkbar
  known: bekannt
  detected: erkannt, gefunden, entdeckt
  proposed: vorgeschlagen
  planned: geplant
  important: wichtig
  unverified: ungeprüft, unbestätigt
  confirmed: bestätigt, geprüft
  agreed: abgestimmt, abgesprochen
  approved: freigegeben, genehmigt
  allowed: erlaubt, zulässig
  maximum: maximal, höchstens
  minimum: minimal, mindestens
  function: Funktion
  letter: Brief, Schreiben
  translation: Übersetzung
  screenshot: Bildschirmfoto
  transcript: Mitschrift, Gesprächsprotokoll
  reading: Messwert, Messreihe
  price: Preis
  hash: Prüfsumme
  session id: Sitzungskennung
  retry: Wiederholung
  source: Quelle
  gap: Lücke
  research: Forschung
  recipe: Rezept
  offer: Angebot
  quality: Güte
  doubt: Zweifel
  wish: Ansinnen
  expectation: Erwartung
  promise: Zusicherung
  review: Überprüfung, Durchsicht
  test: Prüfung, Testlauf
  argument: Argument, Gegenargument
  success: Erfolg
  attempt: Anlauf
  scope: Umfang, Geltungsbereich
  direction: Richtung
  focus: Schwerpunkt
  procedure: Verfahren, Prozedur
  contract: Vertrag
  complaint: Beschwerde, Reklamation
  invoice: Rechnung
  order history: Bestellverlauf
  work item: Arbeit
  report: Bericht
  bug report: Fehlerbericht
  place: Ort
excerpt: Auszug, Exzerpt, Ausschnitt
clause: Klausel
annex: Anhang
manual: Handbuch, Anleitung
mandate: Mandat
troubleshooting: Fehlersuche, Fehlerdiagnose
progressbar: Ladebalken, Fortschrittsbalken
`;

const FRENCH = `
  goal: objectif, but, finalité, visée
  requirement: exigence, cahier des charges, besoin, prérequis, condition
  request: demande, souhait
  task: tâche
  instruction: consigne, directive
  rule: règle, règlement, principe
  prohibition: interdiction, interdit
  constraint: contrainte, limite, plafond, seuil, restriction
  criterion: critère
  acceptance: acceptation, recette
  decision: décision, arbitrage
  choice: choix
  preference: préférence
  deadline: échéance, date limite, date butoir, délai impératif
  answer: réponse
  verdict: jugement
  agreement: accord, engagement
  approval: approbation, autorisation
  problem statement: énoncé, énoncé du problème
  non goal: hors périmètre, hors sujet
  must: doit, ne doit pas, obligatoire
  never: jamais, ne pas
  chosen: retenu, choisi, décidé, convenu
  taken: pris
  required: requis, exigé
  final: final, définitif, finale, définitive
  success criterion: critère de succès, critère de réussite
  finding: constat, constatation, découverte, trouvaille
  result: résultat
  analysis: analyse
  observation: remarque
  reason: raison, motif, justification, motivation
  cause: origine
  root cause: cause racine, cause profonde
  hypothesis: hypothèse, supposition, piste
  assumption: présupposé
  plan: planification, feuille de route
  strategy: stratégie, démarche
  approach: approche, méthode
  risk: risque, danger
  question: interrogation
  step: étape
  status: état, statut, état d avancement
  progress report: avancement, progression, point d étape
  summary: résumé, synthèse, bilan, récapitulatif
  conclusion: conclusion
  todo: à faire, reste à faire, travaux, tâches restantes
  idea: idée
  recommendation: recommandation, conseil
  proposal: proposition
  evaluation: évaluation, appréciation
  issue: problème, difficulté
  weakness: faiblesse, défaut
  blocker: obstacle, blocage, point bloquant
  lesson: leçon, enseignement
  warning: avertissement, mise en garde
  open point: point ouvert, point en suspens
  next: prochain, suivant
  current: actuel, courant, en cours
  completed: terminé, achevé, accompli, fini, fait
  open: ouvert
  pending: en attente, en suspens
  remaining: restant
  rejected: rejeté, écarté, abandonné
  blocked: bloqué
  file: fichier
  content: contenu
  output: sortie
  conversation: échange
  history: historique
  draft: brouillon, ébauche
  template: modèle, gabarit
  example: exemple, échantillon
  table: tableau
  list: liste
  record: donnée, enregistrement
  reference: référence
  command: commande
  customer: client
  user: utilisateur
  error: erreur
  search: recherche
  timestamp: horodatage, heure
  duration: durée, temps écoulé
  start time: heure de début
  last: dernier, dernière
  update: mise à jour
  creation date: date de création
  modification date: date de modification
  counter: compteur
  count: nombre
  attempt: essai, tentative
  log: journaux
  cache: mémoire tampon
  id: identifiant
  temporary: temporaire
  provisional: provisoire
  path: chemin
  value: valeur
  query: requête
  workflow: déroulement, flux de travail
  loop state: état de la boucle
  loop index: indice de boucle
  of: du, de, d, des, de la, de l
  contradiction: incohérence
  evidence: preuve, indice
  comparison: comparaison, comparatif
  dependency: dépendance
  consequence: conséquence, retombée
  milestone: jalon
  checklist: liste de contrôle
  discussion: débat
  concern: inquiétude, souci
  opinion: avis
  improvement: amélioration
  change: changement, modification
  knowledge: connaissance
  explanation: explication
  estimate: estimation
  failure: échec, panne, défaillance
  workaround: contournement
  duty: devoir
  wanted: souhaité, voulu, demandé, attendu
  missing: manquant
  likely: probable, vraisemblable
  possible: éventuel
  known: connu
  detected: détecté, trouvé, relevé, rencontré
  proposed: proposé
  planned: prévu
  important: essentiel
  unverified: à vérifier, non vérifié
  confirmed: confirmé, vérifié
  approved: approuvé, validé
  forbidden: proscrit
  allowed: autorisé, permis
  letter: lettre, courrier
  translation: traduction
  transcript: transcription
  excerpt: extrait
  price: prix, tarif
  reading: mesure
  session id: identifiant de session
  hash: empreinte
  gap: lacune, manque
  doubt: doute
  expectation: attente
  promise: promesse
  review: relecture, revue
  test: épreuve
  success: réussite, succès
  scope: périmètre, portée
  direction: orientation
  focus: priorité
  procedure: procédure, marche à suivre
  contract: contrat
  complaint: réclamation, plainte
  invoice: facture
  file list: arborescence
  work item: travail
  report: rapport
  bug report: rapport de bogue
  place: lieu, endroit
annex: annexe
document: texte intégral, texte brut
text: texte
mandate: mandat
troubleshooting: dépannage
progressbar: barre de progression
`;

const SPANISH = `
  goal: objetivo, finalidad, propósito
  requirement: requisito, exigencia, necesidad, condición, requerimiento
  request: petición, solicitud, encargo, deseo
  task: tarea
  instruction: instrucción, directriz, consigna
  rule: regla, norma, reglamento, principio
  prohibition: prohibición
  constraint: restricción, limitación, límite, tope, umbral
  criterion: criterio
  acceptance: aceptación
  decision: decisión, resolución
  choice: elección
  preference: preferencia
  deadline: fecha límite, plazo, vencimiento
  budget: presupuesto
  answer: respuesta
  verdict: veredicto, dictamen
  agreement: acuerdo, compromiso
  approval: aprobación, autorización
  problem statement: enunciado, planteamiento
  non goal: fuera de alcance
  must: debe, no debe, obligatorio
  never: nunca, jamás
  chosen: elegido, escogido, decidido, acordado, seleccionado
  taken: tomado
  required: requerido, exigido
  success criterion: criterio de éxito
  finding: hallazgo, descubrimiento, constatación
  result: resultado
  analysis: análisis
  observation: observación
  reason: razón, motivo, justificación
  root cause: causa raíz
  cause: causa
  hypothesis: hipótesis, sospecha
  assumption: suposición, supuesto
  plan: planificación, hoja de ruta
  strategy: estrategia
  approach: enfoque, método, planteo
  risk: riesgo, peligro
  question: pregunta, duda
  step: paso
  phase: etapa, fase
  status: estado, situación
  progress report: avance, progreso
  summary: resumen, síntesis, balance
  conclusion: conclusión
  todo: por hacer, quehacer
  idea: ocurrencia
  recommendation: recomendación, consejo
  proposal: propuesta
  evaluation: evaluación, valoración
  issue: problema, dificultad
  weakness: debilidad, carencia
  blocker: obstáculo, impedimento, bloqueo
  lesson: lección, aprendizaje
  warning: advertencia, aviso
  next: próximo, siguiente
  current: actual, en curso
  completed: completado, terminado, hecho, finalizado
  open: abierto
  pending: pendiente
  remaining: restante
  rejected: rechazado, descartado
  blocked: bloqueado
  file: archivo, fichero
  content: contenido
  code: código
  output: salida
  message: mensaje
  conversation: conversación
  history: historial
  draft: borrador
  template: plantilla
  example: ejemplo, muestra
  table: tabla
  list: lista, listado
  record: dato, registro
  search: búsqueda
  reference: referencia
  query: consulta
  customer: cliente
  user: usuario
  test: prueba
  timestamp: marca de tiempo, marca temporal, hora
  duration: duración, tiempo transcurrido
  start time: hora de inicio
  last: último
  update: actualización
  creation date: fecha de creación
  modification date: fecha de modificación
  date: fecha
  counter: contador
  count: cantidad, número
  attempt: intento
  log: bitácora, traza
  cache: caché
  id: identificador
  process id: id de proceso
  path: ruta
  value: valor
  workflow: flujo, flujo de trabajo
  loop state: estado del bucle
  loop index: índice del bucle
  of: del, de, de la, de los, de las
  contradiction: contradicción, incoherencia
  evidence: evidencia, indicio
  alternative: alternativa, opción
  comparison: comparación, comparativa
  dependency: dependencia
  consequence: consecuencia, repercusión
  action: acción, medida
  milestone: hito
  checklist: lista de control
  discussion: discusión
  concern: preocupación, inquietud
  opinion: opinión
  improvement: mejora
  change: cambio, modificación
  knowledge: conocimiento
  explanation: explicación
  estimate: estimación
  failure: fallo, avería
  workaround: solución provisional
  solution: solución
  duty: deber, obligación
  permission: permiso
  wanted: deseado, esperado, solicitado
  missing: faltante, ausente
  likely: probable
  possible: posible
  known: conocido
  detected: detectado, encontrado
  proposed: propuesto
  planned: previsto, planeado
  important: importante, clave
  unverified: sin verificar
  confirmed: confirmado, verificado
  approved: aprobado
  allowed: permitido
  maximum: máximo
  minimum: mínimo
  letter: carta
  translation: traducción
  transcript: transcripción
  excerpt: extracto, fragmento
  price: precio
  reading: medición, lectura
  session id: identificador de sesión, id de sesión
  hash: suma de verificación
  source: fuente
  gap: laguna, brecha
  recipe: receta
  expectation: expectativa
  promise: promesa
  review: revisión
  success: éxito
  scope: alcance, ámbito
  direction: orientación
  focus: prioridad
  procedure: procedimiento
  contract: contrato
  complaint: queja, reclamación
  invoice: factura
  issue: incidencia
  work item: trabajo
  report: informe
  bug report: informe de error
  place: lugar
annex: anexo
document: texto íntegro, texto completo
text: texto
clause: cláusula
progressbar: barra de progreso
`;

/** Chinese (simplified and traditional) and Japanese words. A word is found at any position in the key, the last one first. */
const CHINESE = `
  goal: 目标, 目標, 目的, 宗旨
  requirement: 需求, 要求, 必要条件, 前提条件, 前提, 规格, 規格
  request: 请求, 請求, 委托, 委託, 诉求, 訴求, 愿望
  task: 任务, 任務
  instruction: 指示, 指令, 嘱咐
  rule: 规则, 規則, 规定, 規定, 准则, 政策, 原则, 守则
  prohibition: 禁止, 禁忌, 禁令
  constraint: 约束, 約束, 限制, 上限, 下限, 边界条件, 不变量
  criterion: 标准, 標準, 准绳, 条件
  acceptance criterion: 验收, 驗收, 验收标准, 验收条件
  decision: 决定, 決定, 决策, 決策, 决议
  choice: 选择, 選擇
  preference: 偏好, 喜好
  deadline: 截止日期, 截止时间, 截止, 期限, 最后期限
  budget: 预算, 預算
  answer: 答案, 回答, 最终答复
  verdict: 裁决, 判定, 定论
  conclusion: 结论, 結論
  agreement: 协议, 约定, 約定, 承诺
  approval: 批准, 审批, 授权
  problem statement: 问题描述, 问题陈述
  non goal: 非目标, 非目標
  forbidden: 不可, 不得, 不能, 不许, 严禁, 禁行, 禁用
  must: 必须, 必須, 务必
  final: 最终, 最終
  chosen: 选中, 已选, 选用, 选定
  success criterion: 成功标准, 成功条件
  finding: 发现, 發現
  result: 结果, 結果, 成果
  analysis: 分析
  observation: 观察, 觀察
  reason: 原因, 理由, 依据
  root cause: 根因, 根本原因
  hypothesis: 假设, 假設, 猜测, 推测
  plan: 计划, 計劃, 規劃, 规划, 方案
  strategy: 策略, 战略
  approach: 方法, 思路, 做法
  risk: 风险, 風險, 隐患
  question: 疑问, 问题, 問題, 疑点
  step: 步骤, 步驟
  phase: 阶段, 階段
  status: 状态, 狀態, 现状, 情况
  progress report: 进度, 進度, 进展
  summary: 摘要, 总结, 總結, 概要, 概述, 小结, 小結
  todo: 待办, 待辦, 任务清单, 待做
  next step: 下一步
  idea: 想法, 主意, 创意
  recommendation: 建议, 建議
  evaluation: 评估, 評估, 评价
  blocker: 障碍, 阻碍, 卡点
  lesson: 教训, 经验
  warning: 警告, 注意事项
  current: 当前, 當前, 目前, 现在
  completed: 已完成, 完成
  pending: 未完成, 待处理, 待定, 待
  open: 未解决, 未决, 未回答
  remaining: 剩余, 剩餘, 其余
  next: 下一个, 下个, 后续
  rejected: 已拒绝, 被否决, 放弃
  file: 文件, 檔案
  content: 内容, 內容
  code: 代码, 代碼, 源码, 程序
  configuration: 配置, 设置
  output: 输出, 輸出
  message: 消息, 訊息
  conversation: 对话, 對話, 聊天, 会话记录
  history: 历史, 歷史
  draft: 草稿, 初稿
  template: 模板, 范本
  example: 示例, 例子, 样例, 样本
  table: 表格, 表
  list: 列表, 清单
  record: 记录, 記錄, 数据, 資料
  reference: 参考, 参考资料, 參考
  search: 搜索, 检索
  test: 测试, 測試
  customer: 客户, 客戶, 顾客
  user: 用户, 用戶
  error: 错误, 錯誤, 报错
  item: 项, 事项, 条目
  timestamp: 时间戳, 時間戳, 时刻
  duration: 耗时, 时长, 用时
  creation time: 创建时间, 建立时间
  update time: 更新时间, 修改时间
  start time: 开始时间
  end time: 结束时间
  count: 次数, 数量, 计数
  counter: 计数器
  attempt: 重试, 尝试
  log: 日志, 日誌
  cache: 缓存, 快取
  cache key: 缓存键
  id: 编号, 標識, 标识, 标识符
  request id: 请求编号, 请求标识
  process id: 进程号
  temporary: 临时, 臨時
  path: 路径, 路徑
  hash: 哈希, 校验和
  ms: 毫秒
  workflow: 工作流, 流程
  loop state: 循环状态
  loop index: 循环索引, 循环计数
  contradiction: 矛盾
  evidence: 证据, 證據
  alternative: 备选, 替代方案, 选项
  comparison: 比较, 对比
  dependency: 依赖, 依賴
  consequence: 影响, 后果
  action: 行动, 措施
  milestone: 里程碑
  discussion: 讨论
  concern: 顾虑, 担忧
  opinion: 意见, 看法
  improvement: 改进, 优化
  change: 变更, 改动
  design: 设计, 設計
  architecture: 架构
  explanation: 解释, 说明
  estimate: 估计, 预估
  failure: 故障, 失败
  solution: 解决方案
  conflict: 冲突
  missing: 缺失, 缺少
  possible: 可能
  known: 已知
  unverified: 待核实, 未核实, 待确认
  confirmed: 已确认
  point: 要点, 重点
  permission: 权限, 许可
  letter: 信件
  mail: 邮件
  translation: 翻译
  document: 文档, 文本, 原文, 全文, 正文
  price: 价格
  session id: 会话编号, 会话标识
  source: 来源, 來源
  gap: 缺口, 差距
  research: 研究
  recipe: 菜谱, 食谱
  provisional: 初步, 暂定
  expectation: 期望, 期待
  promise: 保证
  review: 审查, 复查
  scope: 范围
  priority: 优先级
  contract: 合同
  complaint: 投诉
  invoice: 发票
  issue: 隐忧, 缺陷, 争议, 争点
  opinion: 审阅意见
  work item: 工作
  report: 报告, 報告
  bug report: 错误报告, 缺陷报告
  place: 地点, 区域, 地区
excerpt: 摘录, 节选
annex: 附件, 附录
second: 秒, 秒数
progressbar: 进度条
`;

const JAPANESE = `
  goal: 目標, 目的, ゴール, 狙い
  requirement: 要件, 要求, 必要条件, 前提条件, 仕様
  request: 要望, 依頼, リクエスト, 希望, お願い
  task: 依頼内容
  instruction: 指示, 指示事項
  rule: 規則, ルール, 決まり, ポリシー
  prohibition: 禁止, 禁止事項, 禁忌
  constraint: 制約, 制限, 上限, 下限, 不変条件
  criterion: 基準, 条件
  acceptance criterion: 受け入れ基準, 受入基準, 合格条件, 完了条件
  decision: 決定, 決定事項, 意思決定
  chosen: 採用
  choice: 選択
  preference: 好み
  deadline: 締め切り, 締切, 期限, 納期
  budget: 予算
  answer: 回答, 最終回答, 答え
  verdict: 判定, 判決
  conclusion: 結論
  agreement: 合意, 合意事項
  approval: 承認, 許可
  problem statement: 問題文, 問題の説明
  must: 必須
  final: 最終
  success criterion: 成功条件, 成功基準
  finding: 発見, 判明, 所見, 調査結果
  result: 結果, 成果
  analysis: 分析, 解析, 考察
  observation: 観察, 気づき
  reason: 理由, 根拠, 原因
  root cause: 根本原因
  hypothesis: 仮説, 推測, 仮定
  plan: 計画, 予定, プラン
  strategy: 戦略, 方針, 作戦
  approach: 手法, やり方, アプローチ
  risk: リスク, 懸念, 危険
  question: 質問, 疑問, 問題, 問題点, 課題, 疑問点
  step: ステップ, 手順, 工程
  phase: 段階, フェーズ
  status: 状況, 状態, ステータス, 現状
  progress report: 進捗, 進み具合
  summary: 要約, まとめ, 概要, サマリー
  todo: やること, 作業, 残作業, タスク
  idea: 案, アイデア
  recommendation: 提案, 推奨
  evaluation: 評価
  blocker: 障害, ブロッカー
  lesson: 教訓, 学び
  warning: 警告, 注意, 注意点
  current: 現在, 今
  completed: 完了, 済み
  pending: 未完了, 保留
  open: 未解決, 未回答
  remaining: 残り
  next: 次, 次回
  rejected: 却下, 不採用
  file: ファイル
  content: 内容, 中身
  code: コード, ソース
  configuration: 設定
  output: 出力
  message: メッセージ
  conversation: 会話, 対話, チャット
  history: 履歴
  draft: 下書き, 草案
  template: テンプレート, ひな形, 雛形
  example: 例, サンプル
  table: 表, 一覧表
  list: 一覧, リスト
  record: 記録, データ, 資料
  reference: 参考, 参考資料
  search: 検索
  test: テスト
  customer: 顧客, 客
  user: ユーザー, 利用者
  error: エラー
  timestamp: タイムスタンプ, 日時, 時刻
  creation time: 作成日時, 作成時刻
  update time: 更新日時, 更新時刻, 最終更新
  duration: 実行時間, 所要時間, 経過時間
  count: 回数, 件数
  counter: カウンター, カウンタ
  attempt: 試行, リトライ
  log: ログ
  cache: キャッシュ
  session: セッション
  id: 識別子
  temporary: 一時
  path: パス
  hash: ハッシュ
  workflow: ワークフロー
  loop state: ループ状態
  loop index: ループ回数
  contradiction: 矛盾
  evidence: 証拠, 裏付け
  alternative: 代替案, 選択肢, 候補
  comparison: 比較
  dependency: 依存, 依存関係
  consequence: 影響
  action: 対応, 対策, アクション
  milestone: マイルストーン
  discussion: 議論, 検討
  concern: 懸念点, 心配
  opinion: 意見
  improvement: 改善
  change: 変更, 変更点
  design: 設計
  architecture: アーキテクチャ
  explanation: 説明
  estimate: 見積もり, 見積
  failure: 不具合, 失敗, 故障
  solution: 解決策, 解決方法
  missing: 不足
  known: 既知
  unverified: 未確認, 要確認
  confirmed: 確認済み
  point: 点, 論点, 要点
  must: 厳守
  letter: 手紙
  mail: メール
  translation: 翻訳
  document: 文書, ドキュメント, 書類, 原文, 全文, 本文
  price: 価格
  source: 出典, 情報源
  gap: 抜け, 漏れ
  research: 研究
  recipe: レシピ
  provisional: 暫定
  finding: 指摘
  expectation: 期待
  scope: 範囲
  priority: 優先度, 優先順位
  contract: 契約
  complaint: 苦情, クレーム
  invoice: 請求書
  bug: バグ
  hypothesis: 見立て
  work item: 仕事
  report: 報告, レポート
  bug report: バグ報告
  place: 場所, 区域
excerpt: 抜粋, 抄録
annex: 付録, 別紙
article: 解説
issue: 争点
second: 秒, 秒数
`;

/** The vocabulary above by language. */
export const FOREIGN_WORDS: Readonly<Record<"German" | "French" | "Spanish" | "Chinese" | "Japanese", string>> = {
  German: GERMAN,
  French: FRENCH,
  Spanish: SPANISH,
  Chinese: CHINESE,
  Japanese: JAPANESE,
};

/** Returns `[English, foreign words]` for each line. */
export function linesOf(table: string): (readonly [english: string, foreign: readonly string[]])[] {
  return table
    .trim()
    .split("\n")
    .map((line) => {
      const [english = "", foreign = ""] = line.split(": ");
      return [english.trim(), foreign.split(",").map((word) => word.trim().toLowerCase())] as const;
    });
}
