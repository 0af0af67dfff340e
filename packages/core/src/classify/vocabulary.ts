import type { Layer } from "../model/layer.ts";

/*
 * The words that keys of a context are made of, as data. All are singular and in lower case; compounds that are written
 * as one word or as two (`timestamp`, `time stamp`) are here once. A word that has no business of its own is left out:
 * an entry that nothing is known of is USEFUL by default.
 */

const words = (text: string): ReadonlySet<string> => new Set(text.trim().split(/\s+/));

/** Nouns that decide alone when they are the head of a key, whatever stands before them. */
export const HEADS: { readonly [L in Layer]: ReadonlySet<string> } = {
  CRITICAL: words(`
    goal objective aim ambition guideline mission purpose intent intention vision target deliverable
    requirement request ask demand wish want need expectation instruction directive   mandate brief
    briefing assignment task quest errand job preference taste
    criterion acceptance constraint restriction limit  invariant guardrail rule policy regulation law
    compliance prohibition ban obligation duty must taboo nongoal scope deadline budget cap ceiling allowance
    decision choice selection pick verdict ruling judgment judgement resolution determination settlement
    answer agreement commitment promise contract pledge approval consent authorization authorisation permission
    signoff confirmation refusal veto adr dod precondition postcondition prerequisite complexity principle tenet
    sla slo standard stipulation proviso embargo moratorium covenant bylaw allergy contraindication dont
    nonnegotiable musthave spec specification problem ticket story epic
    aspiration bottomline charter codeofconduct commandment cutoff decree desideratum dictate doctrine edict ethic exclusion exemption
    appetite forbiddance goalpost hardstop imperative injunction insistence maxim necessity norm oath ordinance pact precept proscription remit
    requisite statute stricture tolerance ultimatum undertaking vow adjudication arbitration disposition accord treaty
  `),
  IMPORTANT: words(`
    analysis finding insight observation reasoning thought thinking rationale reason justification logic deduction inference
    hypothesis theory assumption pro con shortlist limitation convention belief premise conjecture suspicion hunch intuition speculation
    plan strategy approach tactic roadmap milestone step phase stage slice increment iterationplan sprint todo backlog agenda
    action next risk concern threat hazard blocker impediment obstacle dependency question unknown ambiguity uncertainty
    doubt gap issue bug defect fault flaw weakness strength vulnerability exposure regression anomaly inconsistency
    contradiction conflict discrepancy mismatch deviation violation failure
    summary synopsis recap overview outline gist tldr abstract conclusion recommendation suggestion advice proposal
    idea concept arc feedback process option outcome memo note alternative candidate contender tradeoff comparison evaluation assessment appraisal review audit
    critique criticism retrospective postmortem lesson learning takeaway memo notebook
    diagnosis cause symptom explanation interpretation evidence proof argument counterargument objection rebuttal
    estimate estimation forecast prediction projection expectancy
    priority ranking prioritization prioritisation  certainty rigor rigour automation readiness coverage ledger
    boundary interface architecture design model flow workflow mechanism mechanic shape pattern heuristic
    workaround fix remedy solution mitigation countermeasure fallback contingency rollback remediation
    handoff handover delegation ownership owner assignee responsibility stakeholder
    warning caveat pitfall gotcha bottleneck hotspot spot lead clue hint tip opportunity
    subtask subgoal followup debt remainder leftover completion achievement accomplishment
    understanding knowledge mapping breakdown decomposition synthesis perspective viewpoint framing
    implication consequence impact effect tension driver motivation motive direction focus theme angle
    reflection introspection consideration deliberation brainstorm brainstorming investigation exploration
    verification validation sequence sequencing schedule timeline itinerary procedure playbook checklist
    change fork branchpoint crossroad pivot adjustment refinement amendment revision correction
     discussion debate impression dive judgmentcall judgementcall planning troubleshooting forecasting prioritizing prioritising scoping sizing
    opinion alignment thesis prognosis triage guess worry challenge dilemma roadblock showstopper suspect
    confusion misconception misunderstanding consensus disagreement nuance correlation causation factor methodology
    advantage disadvantage benefit drawback downside upside merit swot retro debrief enquiry inquiry
    workplan worklist logline storyline subplot
    gate trigger condition signal cadence allocation trajectory
    antithesis axiom barrier basis bias blueprint breakthrough calculation caution characterization characterisation clarification
    complication comprehension conception contention corollary curiosity danger deficiency derivation difference discovery
    distinction divergence enhancement examination extrapolation fallacy falsification fear followthrough friction generalization
    generalisation guesswork hindrance hurdle impasse improvement indication indicator inkling inspiration instinct intricacy liability
    loophole malfunction misgiving misstep mistake mystery notion omission outlook oversight peculiarity perception possibility postulate
    precaution presumption proposition quandary realization realisation recollection reconstruction redflag refutation revelation rundown
    setback shortcoming shortfall similarity snag standpoint stumblingblock supposition surmise trouble upshot worldview pathway gameplan
    punchlist subproblem hindsight analogy counterexample corroboration quirk antipattern redherring smell scheme stalemate sanitycheck
    rabbithole behaviour behavior foresight misfit oddity irregularity paradox premortem walkthrough standup writeup
  `),
  USEFUL: words(`
    order command msg err resp cfg conf file content source code snippet diff patch hunk output response reply payload body html xml css svg markdown markup page
    paragraph passage document doc documentation transcript message conversation chat dialog dialogue thread
    mail email letter draft template boilerplate scaffold placeholder prototype mockup wireframe
    table row column cell spreadsheet sheet csv tsv catalog catalogue example sample fixture mock stub
    reference readme manual guide tutorial handbook article paper essay blog post book chapter quote quotation
    excerpt extract dump backup export import schema ddl stacktrace traceback backtrace exception
    inventory listing tree directory folder dataset corpus archive library repository repo codebase module package
    class function method component service endpoint api sdk cli url uri link href bookmark citation bibliography
    image picture screenshot photo logo icon audio video recording attachment media medium diagram chart graph plot figure
    profile account customer client vendor supplier partner employee staff person contact member user
    address phone name title city country region location place venue coordinate
    reservation booking flight hotel trip passenger seat baggage airline airport cabin fare train
    product  sku invoice receipt payment refund transaction sketch price cost fee tax discount currency
    cart basket shipment delivery parcel shop store  rating
    config configuration env environment setup preset
    query sql script makefile dockerfile test testcase assertion benchmark experiment
    glossary dictionary thesaurus vocabulary term terminology ontology taxonomy
    reading measurement  sensor weather temperature humidity pressure altitude
    recipe ingredient menu lyric poem song playlist game  player team
    technology stack framework language tool plugin extension version release changelog
    answerkey faq kb wiki glossaryentry search hit match lookup scrape crawl fetch download upload
    translation localization locale transcription caption subtitle
    call passport
    patient prescription medication lab diagnosiscode
    stock portfolio asset holding balance
    comment annotation biography bio  background
    pr commit branch remote tag  readout printout stdout stderr
    error fragment blob attributes feature label embedding vector`),
  EPHEMERAL: words(`
    timestamp clock duration elapsed latency uptime downtime ms millisecond milli second sec minute ns nanosecond microsecond us
    epoch ttl expiry expiration timeout interval tick heartbeat ping keepalive backoff delay eta
    count counter token now today tomorrow yesterday pos cnt  tally cnt num index idx offset position iteration iter attempt retry loop round cycle pass turn
    cursor id uuid guid ulid pid ppid tid fd handle nonce salt seed
    hash checksum digest etag fingerprint sha md5 crc cache  buffer tmp temp scratch scratchpad scratchspace
    debug debugging logging logger verbosity loglevel telemetry instrumentation span profiling
    progress percent percentage pct spinner progressbar scroll scrollbar hover viewport zoom tab modal panel toast tooltip
    restart reboot reconnect traceparent countdown stopwatch jitter rtt inflight trial caret clipboard snackbar popup websocket pointer fps
    dropdown sidebar cursorposition selectionrange highlight collapsed expanded breadcrumb
    lock mutex semaphore lease socket port connection pool heap rss cpu gpu memory ram usage throughput qps rps rate bandwidth
    cookie csrf internal placeholderid hostname host  tmpdir tempdir tmpfile tempfile tmppath temppath tempname
    workdir cwd pwd watermark dt ts tstamp
    pong lag cooldown throttle debounce lap seq ordinal nr ptr pageno rownum lineno frameno buildno uid gid oid rid cid sid jwt latch dirty
    buf stash spool swap iops tps loader accordion drawer blur scrolltop darkmode keystroke debugger statsd finalizer useragent
    logfile logdir pidfile lockfile swapfile socketfile cachefile traceparent tracestate
  `),
};

/**
 * Head nouns that say in what form something is, not what it is: what stands before them decides (`goalText`,
 * `findingsList`, `debugInfo`, `decisionLog`). The layer is the one they have when nothing else is known.
 */
export const CONTAINERS: { readonly [L in Layer]: ReadonlySet<string> } = {
  CRITICAL: words(``),
  IMPORTANT: words(`context situation chain`),
  USEFUL: words(`
    list set map array collection group bundle batch bag queue  pile   text string str data datum info information detail
    description desc definition value val  item entry object obj json yaml record register registry matrix field property prop attribute parameter
    param  arg variable var result section block part piece chunk segment unit element node report number amount
    quantity size length width height sum total type kind category  sort variant format difficulty
    material thing stuff misc resource input  date day week month year time period slot
    packet capsule bank statement  board deck canvas dashboard database db     
       wording phrase sentence line 
  `),
  EPHEMERAL: words(`log journal trace metric stat statistic path dir  key`),
};

/** Head nouns for how something stands: never above IMPORTANT, since the thing itself is elsewhere. */
export const ASPECTS: ReadonlySet<string> = words(`
  status state mode level band score grade confidence likelihood probability severity health history quality
  complete completeness maturity stance posture tier trend  flag toggle switch depth breadth granularity urgency importance criticality relevance feasibility viability novelty effort sentiment mood style tone
`);

/** Compounds whose meaning is not that of their last word. The longest that the head ends with decides. */
export const PHRASES: ReadonlyMap<string, Layer> = new Map([
  ...phrases(
    "CRITICAL",
    `deal term, contract term, payment term, target price, target cost, target weight, target score, target date, end state, target state, desired state, goal state, acceptance test, acceptance scenario, desired outcome, expected outcome, intended outcome, target outcome, wanted outcome, due date, end goal, win state, win condition, stop condition, exit condition, success condition,
     victory condition, success measure, success metric, success definition, success indicator, success signal, definition of done, definition of ready, out of scope, off limit, no go, no go area, do and dont, final reply, final response, task prompt, user said, user asked, asked for, must have, must not,
     must haves, should have, nice to have, never do, do not, non goal, anti goal, hard line, red line, north star, problem statement,
     problem description, bug description, feature description, task description, story description, change description, request description, defect description, scope boundary, research question, problem definition, mission statement, vision statement, user story, user input, user message,
     user prompt, user query, user question, user feedback, user comment, user reply, user answer, user text, user note, user statement,
     user correction, user context, system prompt, original prompt, initial prompt, original message, initial message, first message, original question,
     original query, initial query, feature request, change request, exit criteria, service level, final result, final response, final output, final design,
     final plan, final approach, final architecture, final recommendation, final conclusion, final report verdict, final state, final outcome, final version,
     final solution, final position, final call, final word, final score verdict, issue description, issue statement, bug report, ticket description,
     house rule, business rule, bottom line, final diagnosis, final assessment, final evaluation, final estimate, final ranking, final proposal, final finding, issue to fix, bug to fix, defect to fix, problem to fix, question to answer, expected behaviour, expected behavior, desired behaviour, desired behavior, required behaviour, required behavior, definition of success, meaning of done, meaning of success, measure of success, idea of done, condition of success, condition for success, condition of acceptance, work type, work kind, job type, job kind, change type, change kind, assignment type, project type, request type, request kind, mission type, ground rule, legal basis, error budget, service limit, size limit, time limit, rate limit, go no go,
     working agreement, code of conduct, style preference, core value, quality bar, quality gate, hard stop, deal breaker, tone of voice`,
  ),
  ...phrases(
    "IMPORTANT",
    `status update, status report, progress update, progress report, progress note, state machine, failure mode, blind spot, deep dive, attack vector, waiting on, root cause, pain point, open point, talking point, decision point, turning point, edge case, corner case, use case,
     action item, work item, open item, open thread, loose end, next up, to do, sub goal, sub task, side effect, test plan, test strategy, test approach,
     follow up, runner up, trade off, pull quote, dead end, working theory, state of play, lessons learned, line of thought, chain of thought,
     train of thought, critical path, happy path, migration path, upgrade path, learning path, decision path, escalation path, call path,
     code path, data path, access path, recovery path, exit path, execution path, attack path, data flow, control flow, task list, task breakdown,
     task plan, task status, task state, task history, task graph, task dependency, job status, job queue, story map, ticket list, ticket status,
     data model, mental model, domain model, threat model, working model, order of work, order of operation, limiting factor, risk budget,
     answer outline, answer draft plan, goal history, goal progress, decision rationale, decision reason, decision tree, decision matrix,
     working memory, long term memory, memory note, project memory, requirement gap, scope creep, scope warning, budget status,
     retry strategy, next turn, error analysis, observed behaviour, observed behavior, actual behaviour, actual behavior, current behaviour, current behavior, slice order, step order, task order, phase order, build order, migration order, rollout order, execution order, reading order, false positive, false negative, sticking point, red flag, red herring, rabbit hole, stumbling block, game plan, punch list, sanity check, anti pattern, code smell, resume point, left off, where we stand, what next, state of work, state of things, error pattern, error handling`,
  ),
  ...phrases(
    "USEFUL",
    `lecture note, class note, release note, sheet music, case law, confusion matrix, paper abstract, reference pattern, plane ticket, train ticket, bus ticket, concert ticket, movie ticket, theatre ticket, theater ticket, museum ticket, lottery ticket, parking ticket, season ticket, return ticket, chat log, conversation log, message log, commit log, git log, git status, user messages, user queries, user comments, user replies, customer messages, product review, customer review, book review, movie review, user review, hotel review, weather forecast, coverage report, test coverage, pull request, merge request, http request, api request, web request, network request, raw request, sample request, request header, request body,
     purchase order, work order, order detail, order item, order history, order line, order number, order status, order data, order record,
     sort order, shell command, bash command, shell history, test command, build command, git command, command output, command result, command history, command line,
     terminal command, sql command, cli command, recent command, executed command, command list, command, commands run, job posting, job description, job listing, job ad,
     job title, mail order, ticket price, ticket data, ticket record, support ticket, flight ticket, news story, story text, story draft,
     contract text, contract address, rental contract, smart contract, contract draft, api contract, error message, error text, commit message, chat message, test case, test suite, test data, test result, test file,
     test output, test report, test run, build output, test error, compiler error, compile error, lint error, type error, log excerpt, 
     stack trace, call stack, tech stack, back trace, page content, page text, page source, code review comment, api spec, open api spec, openapi spec, schema spec,
     api policy text, phone number, flight number, scored goal, conceded goal, goal keeper, account number, invoice number, part number, serial number, tracking number, card number, tool call, function call, tool result,
     room rate, exchange rate, interest rate, tax rate, frame rate, heart rate, hit rate, birth date, birthday, departure date, arrival date, travel date, departure time, arrival time,
     delivery date, delivery time, release date, publication date, order date, check in date, check out date, opening hour, source map, index page, index file, index html,
     user list, user profile, user data, user record, user detail, user info, user account, user guide, user manual, user table, user name,
     problem set, answer key, sample answer, answer template, email draft, rule set file, lint rule, firewall rule, css rule, host name list, market cap, bottle cap,
     air temperature, design token, design file, design doc, design document, plan template, model output, model response, model file, workflow definition, workflow file,
     interface definition, position paper, log in page, search index, import map, memory dump, heap dump, core dump, heap snapshot, gpu model, port list, ports list, port mapping,
     job spec, credit limit, speed limit, card limit, product id, customer id, order id, user id, account id, sku id, reservation id, booking id, patient id, ticket id, issue id, employee id, document id, article id, asset id, student id,
     pass phrase, target file, target url, target directory, target language, target audience, target user, goal example, budget table, change log, review comment`,
  ),
  ...phrases(
    "EPHEMERAL",
    `lock owner, lock holder, health check, health status, log level, log format, log path, log file, log dir, log directory, log line, log entry, log output, log message, log buffer, log tail, log setting, log config, debug mode, debug level,
     debug output, debug flag, debug dump, debug message, debug line, console output, console log, temp file, tmp file, temp path, tmp path, temp dir, temp directory, tmp dir, tmp directory, temp folder, temporary file, temporary path,
     temporary directory, temporary folder, scratch file, scratch dir, scratch directory, scratch path, scratch pad, scratch space, scratch note, scratch area, scratch buffer, lock file, pid file, swap file, socket path, cache path, cache dir, cache directory,
     cache file, cache key, cache hit, cache miss, cache entry, cache state, cached result, cached response, cached value, cached file, cached data, work dir, working directory, working dir, current directory,
     current dir, env id, ip address, mac address, sequence no, byte read, bytes read, byte sent, bytes sent, instance cost, run cost, session cost, api cost, llm cost, inference cost, token cost, model cost, cost so far, model stat, run stat, agent stat, session stat, token stat, container name, pod name, worker name, thread name, process name, batch number, frame number, job number, tick number, page number, line number, step number, phase number, version number, build number, sequence number, attempt number, retry number, run number, turn number, round number, step counter,
     current page, current time, current date, system time, local time, start time, end time, stop time, finish time, begin time, response time, run time, execution time,
     processing time, wait time, elapsed time, load time, total time, idle time, cpu time, build time, render time, request time, boot time, creation time, update time, save time, completion time, modification time,
     wall time, time stamp, time taken, time spent, time left, time remaining, time out, time zone, start date, end date, created date, creation date, updated date, update date, modified date, modification date, run date,
     saved date, today date, clock skew, http status, status code, exit code, return code, error code, error count, exit status, loading state, loading status, ui state, view state, scroll state, window state,
     editor state, tab state, form state, session state cache, connection state, connection status, socket state, loop state, retry state, poll state, animation state, hover state, internal state, process state,
     page token, access token, auth token, bearer token, refresh token, api token, session token, csrf token, next page token, continuation token, sync token, cancel token, token count, token usage, token total, tokens used, tokens left,
     session key, cache size, heap size, buffer size, queue size, queue length, queue depth, pool size, batch size, file size, page size, window size, screen size, byte size, memory size, context size,
     rate limit remaining, rate limit reset, percent complete, percent done, loop variable, loop guard, worker pool, thread pool, retry policy cache,
     performance data, performance stat, usage data, usage report cache, runtime info, process info, system info, host info, memory info, heartbeat info, trace flag, trace data, trace context, trace level, trace output, trace id,
     mouse position, focus state, active tab, selected tab, open tab, active panel, active window, selected row, selected index, selected line, stack depth, call depth, recursion depth, nesting depth, mouse x, mouse y, server time, client time, host time, device time, machine time, utc time, unix time, wall clock, worker thread, main thread, background thread, download speed, upload speed, transfer speed, network speed, revision number, draft number, iteration number, row number, last poll, last run, last sync, last check, last access, last heartbeat, last ping, last tick,
     last activity, last refresh, last update, last save, last fetch, last login, last write, last read, last attempt, last retry, last request, last start, last seen, next poll, next retry, next tick, next run, next attempt, user agent, dry run id`,
  ),
]);

/** What an adjective or a noun before the head makes of it, when the head alone does not decide. The nearest to the head counts. */
export const MODIFIERS: { readonly [L in Layer]: ReadonlySet<string> } = {
  /** Somebody decided, or must be obeyed. Also lifts a head that is IMPORTANT alone: `selectedApproach`. */
  CRITICAL: words(`
    selected chosen preferred max maximum min minimum permitted allowed decided agreed accepted approved adopted elected settled ratified signed  picked mandated  winning
    required mandatory obligatory forbidden prohibited banned disallowed desired requested wanted intended demanded
    must never always nonnegotiable binding authoritative acceptance
  `),
  IMPORTANT: words(`
    current next completed done finished remaining pending open closed outstanding unresolved resolved unanswered unsolved identified known unknown
    proposed suggested recommended considered rejected discarded excluded eliminated abandoned deferred postponed blocked upcoming planned potential possible
    candidate alternative challenged suspected confirmed verified validated missing needed unfinished active ongoing  runner up
    discovered learned detected emerging competing  suspicious surprising worrying notable leading promising likely critical key main primary important
    incomplete started begun todo nextup anticipated foreseen expected
  `),
  USEFUL: words(`raw example sample mock dummy fake draft fetched retrieved downloaded scraped generated rendered parsed loaded full  `),
  EPHEMERAL: words(`
    cpu gpu ram metric progress cursor counter focused hovered highlighted expanded collapsed debug temp temporary tmp transient ephemeral volatile scratch cached cache logged logging log trace tracing telemetry internal ui gui
    loading spinner heartbeat polling poll verbose runtime process scroll hover viewport render rendering animation window editor retry loop lock
    throwaway disposable heap gc socket websocket connection performance perf timing profiler
  `),
};

/** IMPORTANT nouns that stay what they are whatever was decided about them: a reason for what was chosen is a reason. */
export const UNLIFTED: ReadonlySet<string> = words(`
  analysis finding insight observation reasoning thought rationale reason justification logic explanation evidence summary recap overview step phase question
  issue bug note verification validation review warning lesson hypothesis understanding todo action blocker
`);

/** Modifiers of a decision that is still to be made: a question, in other words. */
export const UNDECIDED: ReadonlySet<string> = words(
  `pending open next upcoming outstanding undecided unresolved deferred postponed potential possible proposed missing`,
);

/** What somebody else decides: as long as it is open it is a question. */
export const TO_BE_GIVEN: ReadonlySet<string> = words(
  `decision choice approval confirmation permission consent authorization authorisation signoff agreement verdict ruling answer resolution`,
);

/** Nouns that make a bound of the measure behind them: `limitTokens`. */
export const BOUNDS: ReadonlySet<string> = words(`limit budget cap ceiling allowance quota`);

/** Modifiers that make an order of anything, also of what is otherwise only thought of: `forbiddenActions`. */
export const OBLIGING: ReadonlySet<string> = words(`forbidden prohibited banned disallowed permitted allowed mandatory`);

/** USEFUL nouns for material that selecting does not make a decision: `selectedFiles`. */
export const MATERIAL: ReadonlySet<string> = words(`
  file content source code snippet diff patch hunk output response reply payload body html xml css svg markdown markup page paragraph passage document doc transcript
  message conversation chat dialog dialogue thread mail email draft table row column cell sheet example sample fixture excerpt extract dump schema stacktrace traceback
  image picture screenshot test hit match quote error fragment blob comment commit query template boilerplate catalog catalogue inventory glossary
`);

/** What somebody asked for, as long as there is one; several of them, or the next one, are a plan for the work. */
export const WORK: ReadonlySet<string> = words(`task ticket story epic job assignment`);

/** Modifiers that make of a USEFUL noun what is still to be done, or is done: `remainingFiles`. */
export const STEERING: ReadonlySet<string> = words(
  `next remaining completed finished pending outstanding unresolved missing blocked upcoming failing needed`,
);

/** Modifiers that make even material fleeting: `cachedPage`. */
export const THROWAWAY: ReadonlySet<string> = words(
  `debug temp tmp temporary transient ephemeral scratch throwaway disposable cached cache logged log telemetry tracing logging internal heartbeat polling`,
);

/** Nouns of the fleeting kind that may also hold what was done each time; then this is their layer. */
export const WHEN_RICH: ReadonlyMap<string, Layer> = new Map([
  ["attempt", "USEFUL"],
  ["turn", "USEFUL"],
  ["round", "USEFUL"],
  ["pass", "USEFUL"],
  ["cycle", "USEFUL"],
  ["iteration", "USEFUL"],
  ["connection", "USEFUL"],
  ["position", "IMPORTANT"],
  ["loop", "USEFUL"],
  ["progress", "IMPORTANT"],
  ["trial", "USEFUL"],
  ["delay", "USEFUL"],
  ["rate", "USEFUL"],
]);

/** IMPORTANT nouns under which agents also keep the record of what they did: lists of messages, commands and their output are material. */
export const RECORDED: ReadonlySet<string> = words(`action observation history trajectory step turn thread review option candidate`);

/** Containers that are output of a program, unless they are of something that matters. */
export const LOGS: ReadonlySet<string> = words(`log journal trace`);
/** Containers that say where something is. */
export const PLACES: ReadonlySet<string> = words(`path dir`);
/** Containers that are telemetry, unless they are of something in the user's domain. */
export const STATISTICS: ReadonlySet<string> = words(`metric stat statistic`);
/** Words that make a place temporary, however far in front of it they stand. */
export const TEMPORARY: ReadonlySet<string> = words(`temp tmp temporary scratch transient throwaway`);
export const TEMPORARY_PLACES: ReadonlySet<string> = words(`file path dir directory folder location copy output name buffer url artifact`);
/** Containers that are a clock of the program's own, or else a time of the user's. */
export const CLOCKS: ReadonlySet<string> = words(`time date day`);

/** First words of a key that give an order. */
export const ORDERS: ReadonlySet<string> = new Set([
  "must",
  "never",
  "always",
  "avoid",
  "dont",
  "do not",
  "don t",
  "shall",
  "non negotiable",
]);

/** Verbs of somebody who gives an order: `whatTheUserWants`. */
export const DEMANDS: ReadonlySet<string> = words(
  `want wanted need needed ask asked require required demand demanded request requested expect expected`,
);

/** Nouns that name what the following words are an instance of: `requirement_export`. */
export const SUBJECTS: ReadonlySet<string> = words(
  `goal requirement constraint decision criterion acceptance invariant rule instruction preference nongoal`,
);

/** Adjectives and participles that may follow their noun: `filesRead`, `stepsCompleted`, `retriageNeeded`. */
export const FOLLOWERS: ReadonlySet<string> = words(`
  read changed seen used found tried needed done remaining enabled disabled completed saved pending made taken given open opened closed processed visited
  touched modified edited updated created deleted removed added considered explored rejected discarded selected chosen decided accepted approved agreed learned
  learnt required wanted requested expected left missing failed passed skipped blocked planned proposed identified discovered resolved unresolved finished confirmed verified
  held acquired warmed received sent fetched loaded generated written produced executed consumed encountered raised answered allowed forbidden active viewed inspected examined reviewed
  checked scanned searched excluded included deferred challenged known gathered collected returned keep kept so far eur usd gbp chf mb kb gb tb
`);

/** Of those, the ones that make a time of `last` and them: `lastUpdated`, `lastModified`. */
export const TIMED: ReadonlySet<string> = words(`
  updated modified saved seen accessed used changed checked polled synced synchronised synchronized refreshed run fetched loaded touched visited read written active connected opened edited viewed
  started finished logged pinged indexed backed built deployed published generated created retried attempted
`);

/** Words that end a head: what follows them only says more. `planForReview`, `exampleFromDocs`. */
export const PREPOSITIONS: ReadonlySet<string> = words(`
  of for from by in with to per since until till before after during about on via without against between into under over than if when while because
  across around through within toward towards regarding concerning behind beyond upon where that which
`);

/** Heads that give way to what comes after their `of`: `listOfFindings`. */
export const MEASURES: ReadonlySet<string> = words(`list set collection array group  series  bunch table map stack queue`);

/** A key that starts with one asks yes or no: a switch for the next step, unless it is about what is fleeting. */
export const AUXILIARIES: ReadonlySet<string> = words(`
  is are was were has have had should shall can could may might will would does did do needs need requires require enable enabled disable use uses allow allows
  include includes skip force show hide supports want wants ready
`);

/** Words of a yes-or-no key that make it a matter of the moment. */
export const FLEETING: ReadonlySet<string> = words(`
  loading loaded running warmup open visible hidden expanded collapsed focused hovered dirty busy idle online connected polling scrolling typing animating mounted rendered
  debug debugging trace tracing log logs logging telemetry verbose cache cached metric metrics retrying spinner dark modal tooltip sidebar locked refreshing fetching saving
`);

/** Words in -ing that are not over in a moment: `isMissing`. */
export const LASTING: ReadonlySet<string> = words(
  `missing blocking breaking pending outstanding remaining existing passing failing conflicting`,
);

/** Little words that say nothing here. */
export const FILLERS: ReadonlySet<string> = words(
  `the a an we i you they it he she my our your their its this these those has have been was were be so far and or as`,
);

/** Words that say nothing of what is under the key: there the value decides. */
export const OPAQUE: ReadonlySet<string> = words(`
  note notes item entry a b c d e f g h i j k l m n o p q r s t u v w x y z aa bb xx yy zz xyz itm fld paragraph sentence value val data datum thing stuff misc other various foo bar baz qux text txt string str content field key obj object
  payload info var variable arg param el element node blob extra extras unnamed untitled anonymous any some unknown ref memo remark comment section slot cell box
  block part piece bit chunk fragment line message msg input prop property attribute attr record row json raw mixed general tmpvalue main body result output res ret
`);

function phrases(layer: Layer, text: string): [string, Layer][] {
  return text.split(",").map((phrase) => [phrase.trim().replace(/\s+/g, " "), layer]);
}
