import type { Layer } from "@workrail/core";

/*
 * Words in the keys of a context, as data. All are singular and in lower case. Compounds written as one word or as two
 * (`timestamp`, `time stamp`) are listed once. A word that would not change the result is left out: an entry without known words
 * is USEFUL by default.
 */

const words = (text: string): ReadonlySet<string> => new Set(text.trim().split(/\s+/));

/** Nouns that decide alone as the head of a key, after any other words. */
export const HEADS: { readonly [L in Layer]: ReadonlySet<string> } = {
  CRITICAL: words(`
    goal objective aim ambition guideline mission purpose intent intention vision target deliverable
    requirement request ask demand wish want need expectation instruction directive   mandate brief
    briefing assignment task quest errand job preference taste
    criterion acceptance constraint restriction limit threshold invariant guardrail rule policy regulation law
    compliance prohibition ban obligation duty must taboo nongoal scope deadline budget cap ceiling allowance
    decision choice selection pick verdict ruling judgment judgement resolution determination settlement
    answer agreement commitment promise contract pledge approval consent authorization authorisation permission
    signoff confirmation refusal veto adr dod precondition postcondition prerequisite complexity quota principle tenet
    sla slo standard stipulation proviso embargo moratorium covenant bylaw allergy contraindication dont
    nonnegotiable musthave quorum rubric curfew spec specification problem complaint grievance ticket story epic
    aspiration bottomline charter codeofconduct commandment cutoff decree desideratum dictate doctrine edict ethic exclusion exemption
    appetite forbiddance goalpost hardstop imperative injunction insistence maxim necessity norm oath ordinance pact precept proscription remit
    requisite reqs nfrs prefs okrs rto rpo statute stricture tolerance ultimatum undertaking vow adjudication arbitration disposition accord treaty
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
    priority ranking prioritization prioritisation  certainty rigor rigour automation readiness coverage
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
    workplan worklist storyline subplot
    confidence likelihood probability severity urgency importance criticality relevance feasibility viability novelty sentiment mood gate trigger condition signal cadence allocation trajectory
    antithesis axiom barrier basis bias blueprint breakthrough calculation caution characterization characterisation clarification
    complication comprehension conception contention corollary curiosity danger deficiency derivation difference discovery
    distinction divergence enhancement examination extrapolation fallacy falsification fear followthrough friction generalization
    generalisation guesswork hindrance hurdle impasse improvement indication indicator inkling inspiration instinct intricacy liability
    loophole malfunction misgiving misstep mistake mystery notion omission outlook oversight peculiarity perception possibility postulate
    precaution presumption proposition quandary realization realisation recollection reconstruction redflag refutation revelation rundown
    setback shortcoming shortfall similarity snag standpoint stumblingblock supposition surmise trouble upshot worldview pathway gameplan
    punchlist subproblem hindsight analogy counterexample corroboration quirk antipattern redherring smell scheme stalemate sanitycheck
    rabbithole workstream point touchpoint behaviour behavior foresight misfit oddity irregularity paradox premortem walkthrough standup writeup confounder
  `),
  USEFUL: words(`
    order command msg err resp cfg conf file content source code pseudocode material resource snippet diff patch hunk output response reply payload body html xml css svg markdown markup page
    paragraph passage document doc documentation transcript message conversation chat dialog dialogue thread
    mail email letter draft template boilerplate scaffold placeholder prototype mockup wireframe
    table row column cell spreadsheet sheet csv tsv catalog catalogue example sample fixture mock stub
    reference readme manual guide tutorial handbook article paper essay blog post book chapter quote quotation
    excerpt extract dump backup export import schema ddl stacktrace traceback backtrace exception
    inventory listing tree directory folder dataset corpus archive library repository repo codebase module package
    function method component service endpoint api sdk cli url uri link href bookmark citation bibliography
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
    offer annex appendix answerkey faq kb wiki glossaryentry search hit match lookup scrape crawl fetch download upload
    translation localization locale transcription caption subtitle
    call passport monograph brochure leaflet pamphlet almanac bulletin circular newsletter prospectus syllabus datasheet speech lecture clause counsel attorney lawyer witness plaintiff defendant claimant
    patient prescription medication lab diagnosiscode
    stock portfolio asset holding balance
    comment annotation biography bio  background
    pr commit branch remote tag  readout printout stdout stderr
    error fragment blob attributes feature label embedding vector`),
  EPHEMERAL: words(`
    timestamp clock duration elapsed latency uptime downtime ms millisecond milli second sec minute ns nanosecond microsecond us
    epoch ttl expiry expiration timeout interval tick heartbeat ping keepalive backoff delay eta
    count counter token now today tomorrow yesterday pos cnt  tally cnt num index idx offset position iteration iter attempt retry loop round cycle pass turn
    cursor slider descriptor id uuid guid ulid pid ppid tid fd handle nonce salt seed
    hash checksum digest etag fingerprint sha md5 crc cache  buffer tmp temp scratch scratchpad scratchspace
    debug debugging logging logger verbosity loglevel telemetry instrumentation span profiling
    progress percent percentage pct spinner progressbar scroll scrollbar hover viewport zoom tab modal panel toast tooltip
    statusbar titlebar toolbar navbar restart reboot reconnect traceparent countdown stopwatch jitter rtt inflight trial caret clipboard snackbar popup websocket pointer byte fps
    dropdown sidebar pane timer cursorposition selectionrange highlight collapsed expanded breadcrumb
    lock mutex semaphore lease socket port connection pool heap rss cpu gpu memory ram usage throughput qps rps rate bandwidth
    cookie csrf internal placeholderid hostname host  tmpdir tempdir tmpfile tempfile tmppath temppath tempname
    workdir cwd pwd watermark dt ts tstamp
    pong lag cooldown throttle debounce lap seq ordinal nr ptr pageno rownum lineno frameno buildno uid gid oid rid cid sid jwt latch dirty
    buf stash spool swap iops tps loader accordion drawer blur scrolltop darkmode keystroke debugger statsd finalizer useragent
    logfile logdir pidfile lockfile swapfile socketfile cachefile traceparent tracestate
  `),
};

/**
 * Head nouns for the form of a thing, not its kind. The word before decides (`goalText`, `findingsList`, `debugInfo`,
 * `decisionLog`); the layer given here applies without a known word.
 */
export const CONTAINERS: { readonly [L in Layer]: ReadonlySet<string> } = {
  CRITICAL: words(``),
  IMPORTANT: words(`context situation chain ledger scenario`),
  USEFUL: words(`
    list set map array collection group bundle batch bag queue  pile   text string str data datum info information detail
    description desc definition value val  item entry object obj json yaml record register registry matrix field property prop attribute parameter
    param  arg variable var result section block part piece chunk segment unit element node report number amount
    quantity size scale structure length width height sum total type kind category class sort variant format difficulty
    thing stuff misc input  date day week month year time period slot
    packet capsule hour bank statement  board deck canvas dashboard database db     
       wording phrase sentence line 
  `),
  EPHEMERAL: words(`log journal trace metric stat statistic path dir  key`),
};

/** Head nouns for the condition of a thing. They are never above IMPORTANT, since the thing itself is elsewhere. */
export const ASPECTS: ReadonlySet<string> = words(`
  status state mode level band score grade health history quality
  complete completeness maturity stance posture tier trend  flag toggle switch depth breadth granularity effort style tone
`);

/**
 * Adjectives and nouns before the head that determine the layer when the head does not decide alone. The one nearest to the head
 * counts.
 */
export const MODIFIERS: { readonly [L in Layer]: ReadonlySet<string> } = {
  /** Words for a decision or an obligation. They also raise a head that is IMPORTANT alone: `selectedApproach`. */
  CRITICAL: words(`
    selected chosen preferred max maximum min minimum permitted allowed decided agreed accepted approved adopted elected settled ratified signed  picked mandated  winning
    required mandatory obligatory forbidden prohibited banned disallowed desired requested wanted intended demanded
    must never always promised pledged guaranteed nonnegotiable binding final authoritative acceptance
  `),
  IMPORTANT: words(`
    current next completed done finished remaining pending open closed outstanding unresolved resolved unanswered unsolved identified known unknown
    proposed suggested recommended considered rejected discarded excluded eliminated abandoned deferred postponed blocked upcoming planned potential possible
    candidate alternative challenged suspected confirmed verified validated missing needed unfinished active ongoing  runner up
    discovered learned detected emerging competing  suspicious surprising worrying notable leading promising likely critical key main primary important
    provisional preliminary interim tentative incomplete started begun todo nextup anticipated foreseen expected dissenting opposing differing diverging contrary weak vulnerable fragile risky doubtful questionable ambiguous unclear
  `),
  USEFUL: words(`raw example sample mock dummy fake draft fetched retrieved downloaded scraped generated rendered parsed loaded full  `),
  EPHEMERAL: words(`
    cpu gpu ram metric progress cursor counter focused hovered highlighted expanded collapsed debug temp temporary tmp transient ephemeral volatile scratch cached cache logged logging log trace tracing telemetry internal ui gui
    loading spinner heartbeat polling poll verbose runtime process scroll hover viewport render rendering animation window editor retry loop lock
    throwaway disposable memoized memoised buffered heap gc socket websocket connection performance perf timing profiler
  `),
};

/** IMPORTANT nouns that a decision word does not raise: a reason for a decision stays a reason. */
export const UNLIFTED: ReadonlySet<string> = words(`
  analysis finding insight observation reasoning thought rationale reason justification logic explanation evidence summary recap overview step phase question
  issue bug note verification validation review warning lesson hypothesis understanding todo action blocker
`);

/** Modifiers of a pending decision, which is in effect a question. */
export const UNDECIDED: ReadonlySet<string> = words(
  `pending open next upcoming outstanding undecided unresolved deferred postponed potential possible proposed missing`,
);

/** Modifiers of something that was only considered: `consideredRequirements`. */
export const WEIGHED: ReadonlySet<string> = words(`considered explored candidate alternative proposed suggested hypothetical`);

/** Nouns for another person's decision; while pending, it is a question. */
export const TO_BE_GIVEN: ReadonlySet<string> = words(
  `decision choice approval confirmation permission consent authorization authorisation signoff agreement verdict ruling answer resolution`,
);

/** Nouns for measures and counts. Their values are ephemeral, unless a word before them makes them a bound. */
export const MEASURES: ReadonlySet<string> = words(`
  latency duration uptime downtime memory ram throughput pct bandwidth rate interval timeout delay lag count token fps cpu gpu qps rps tps time size length depth speed period
  retry attempt iteration loop round pass temp ms second sec minute hour mb gb byte percent percentage
`);
/** Units and clocks of a value. The word before decides. */
export const UNITS: ReadonlySet<string> = words(`
  kg mg nm mps kmh hz psi lb lbs oz km cm mm mi ft sqm sqft usd eur gbp chf jpy cad aud inr dollar dollars euro euros kwh mwh kw mw celsius fahrenheit kelvin utc gmt cet local
`);
/** Units too long for internal figures of a program: `noticePeriodDays`. */
export const LONG_UNITS: ReadonlySet<string> = words(`day days night nights week weeks month months year years`);
export const COUNTS: ReadonlySet<string> = words(`count round pass loop iteration`);

/** Nouns that turn the measure behind them into a bound: `limitTokens`. */
export const BOUNDS: ReadonlySet<string> = words(`limit budget cap ceiling floor allowance quota constraint requirement threshold cutoff`);

/** Modifiers that turn a measure into a bound: `targetLatency`, and as the first word `maxRetries`. */
export const BINDING: ReadonlySet<string> = words(
  `allowed permitted acceptable tolerated target desired required wanted agreed preferred mandated chosen`,
);
export const EXTREMES: ReadonlySet<string> = words(`max maximum min minimum`);

/** Nouns for binding things that also name documents. */
export const DOCUMENTS: ReadonlySet<string> = words(
  `agreement contract statute law regulation treaty charter bylaw ordinance judgment judgement ruling decree`,
);

/** Modifiers that turn anything into an order, even nouns of thinking: `forbiddenActions`. */
export const OBLIGING: ReadonlySet<string> = words(`forbidden prohibited banned disallowed permitted allowed mandatory`);

/** USEFUL nouns for material. A selection of material is not a decision: `selectedFiles`. */
export const MATERIAL: ReadonlySet<string> = words(`
  file content source code snippet diff patch hunk output response reply payload body html xml css svg markdown markup page paragraph passage document doc transcript
  message conversation chat dialog dialogue thread mail email draft table row column cell sheet example sample fixture excerpt extract dump schema stacktrace traceback
  image picture screenshot test hit match quote error fragment blob comment commit query template boilerplate catalog catalogue inventory glossary
`);

/** Nouns for an assignment when singular. Several of them, or the next one, are a plan of the work. */
export const WORK: ReadonlySet<string> = words(`task ticket story epic job assignment problem`);

/** Modifiers that mark USEFUL nouns as pending or done: `remainingFiles`. */
export const STEERING: ReadonlySet<string> = words(
  `next remaining completed done finished pending outstanding unresolved missing blocked upcoming failing needed`,
);

/** USEFUL nouns for a part of the work. The current one is the agent's position. */
export const WORKED_ON: ReadonlySet<string> = words(
  `chapter paragraph module package component endpoint function method file test service query script`,
);

/** Modifiers of examples and raw input: `exampleGoal`, `rawNotes`. */
export const MADE_UP: ReadonlySet<string> = words(`raw example sample mock dummy fake`);

/** Modifiers that make even material ephemeral: `cachedPage`. */
export const THROWAWAY: ReadonlySet<string> = words(
  `debug temp tmp temporary transient ephemeral scratch throwaway disposable cached cache logged log telemetry tracing logging internal heartbeat polling loading`,
);

/** Ephemeral nouns that may also hold a description of each occurrence, with their layer in that case. */
export const WHEN_RICH: ReadonlyMap<string, Layer> = new Map([
  ["attempt", "USEFUL"],
  ["turn", "USEFUL"],
  ["round", "USEFUL"],
  ["pass", "USEFUL"],
  ["cycle", "USEFUL"],
  ["iteration", "USEFUL"],
  ["connection", "USEFUL"],
  ["position", "IMPORTANT"],
  ["loop", "IMPORTANT"],
  ["progress", "IMPORTANT"],
  ["trial", "USEFUL"],
  ["delay", "USEFUL"],
  ["rate", "USEFUL"],
  ["minute", "USEFUL"],
]);

/** Words whose layer as a whole key differs from their layer as a head. */
export const ALONE: ReadonlyMap<string, Layer> = new Map([
  ["conclusion", "CRITICAL"],
  ["queue", "IMPORTANT"],
  ["worklist", "IMPORTANT"],
]);

/** Modifiers of the remaining work of a loop. */
export const LEFT: ReadonlySet<string> = words(`remaining left pending outstanding unprocessed`);

/** Units of time after `per` in a rate. */
export const MOMENTS: ReadonlySet<string> = words(`second sec minute min tick frame s ms`);

/** Ephemeral names under which people also keep substantial values. Two words in the value suffice to count as content. */
export const TWO_FACED: ReadonlySet<string> = new Set([...WHEN_RICH.keys(), "metric", "stat", "statistic", "window", "count"]);

/** Words for internal measurements of a program or a screen. Figures and names under them are ephemeral. */
export const OF_MACHINES: ReadonlySet<string> = words(`
  cpu gpu ram heap gc memory rss token cache cached debug telemetry trace cursor scroll viewport mouse caret selection pool socket connection latency timing duration elapsed
  performance perf profiler runtime process render buffer fps throughput usage log logging logger ui gui screen hover focus animation tmp temp internal io disk network http lock
`);

/** Fields of such measurements. */
export const GAUGES: ReadonlySet<string> = words(`
  line col column row char x y z w h width height top left right bottom min max avg mean median sum total p50 p90 p95 p99 hits misses size free used in out prompt completion
  cached count zoom scale ms
`);

/** Ephemeral nouns that are user data when the value is a list or table: exchange rates. */
export const WHEN_LISTED: ReadonlySet<string> = words(`rate index timer`);

/** IMPORTANT nouns under which agents also keep records. Lists of messages, commands and output under them are material. */
export const RECORDED: ReadonlySet<string> = words(
  `action observation history trajectory step turn thread review option candidate alternative dependency`,
);

/** Containers for output of a program, unless they concern something important. */
export const LOGS: ReadonlySet<string> = words(`log journal trace`);
/** Containers for a location. */
export const PLACES: ReadonlySet<string> = words(`path dir`);
/** Containers for telemetry, unless they concern the user's domain. */
export const STATISTICS: ReadonlySet<string> = words(`metric stat statistic`);
/** Words that mark a location as temporary, at any distance before it. */
export const TEMPORARY: ReadonlySet<string> = words(`temp tmp temporary scratch transient throwaway`);
export const TEMPORARY_PLACES: ReadonlySet<string> = words(`file path dir directory folder location copy output name buffer url artifact`);
/** Containers for a time, either internal to a program or of the user. */
export const CLOCKS: ReadonlySet<string> = words(`time date day`);
/** Nouns with a date in the future. The date of a decision or an analysis is the date of its creation. */
export const DUE: ReadonlySet<string> = words(`deadline goal target milestone requirement constraint schedule due next planned`);

/** Nouns that are binding until the point in time behind them: `embargoUntil`, `dueAt`. */
export const BINDING_UNTIL: ReadonlySet<string> = words(`deadline due cutoff embargo moratorium ban blackout exclusion lockup quarantine`);

/** Modifiers of a binding date: `promisedDate`, unlike `decisionDate`. */
export const PROMISED: ReadonlySet<string> = words(
  `agreed promised pledged guaranteed required requested wanted desired expected target latest earliest binding final committed`,
);

/** Last words of a key that mark a point in time as the latest one. */
export const LATEST: ReadonlySet<string> = words(`by before due than`);

/** First words of a key that give an order. */
export const ORDERS: ReadonlySet<string> = new Set([
  "must",
  "never",
  "always",
  "avoid",
  "exclude",
  "forbid",
  "prohibit",
  "prefer",
  "omit",
  "dont",
  "do not",
  "don t",
  "shall",
  "non negotiable",
  "no fly",
  "no contact",
  "no touch",
  "no entry",
]);

/** Verbs of a person who gives an order: `whatTheUserWants`. */
export const DEMANDS: ReadonlySet<string> = words(
  `want wanted need needed ask asked require required demand demanded request requested expect expected`,
);

/** Nouns that precede the name of an instance: `requirement_export`. */
export const SUBJECTS: ReadonlySet<string> = words(
  `goal requirement constraint limit decision criterion acceptance invariant rule instruction preference nongoal deadline`,
);

/** Nouns of thinking that precede their subject: `strategy.trial`. */
export const THOUGHTS: ReadonlySet<string> = words(
  `analysis finding rationale reasoning strategy hypothesis risk assessment insight conclusion approach assumption observation`,
);

/** Names of entries for free text of any kind. */
export const CARRIERS: ReadonlySet<string> = words(`note memo msg info text txt remark`);

/** Names of lists with members of any kind. */
export const LISTINGS: ReadonlySet<string> = words(`entries items records rows list`);

/** Nouns for material that a text may name in its first words: `Draft: dear readers`. */
export const SPECIMENS: ReadonlySet<string> = words(
  `excerpt extract draft template example sample quote transcript translation boilerplate snippet`,
);

/** Adjectives and participles that may follow their noun: `filesRead`, `stepsCompleted`, `retriageNeeded`. */
export const FOLLOWERS: ReadonlySet<string> = words(`
  read changed seen used found tried needed done remaining enabled disabled completed saved pending made taken given open opened closed processed visited
  touched modified edited updated created deleted removed added considered explored rejected discarded selected chosen decided accepted approved agreed learned
  learnt required wanted requested expected left missing failed passed skipped blocked planned proposed identified discovered resolved unresolved finished confirmed verified
  held acquired warmed received sent fetched loaded generated written produced executed consumed encountered raised answered allowed forbidden active viewed inspected examined reviewed
  checked scanned searched excluded included deferred challenged known gathered collected returned keep kept so far eur usd gbp chf mb kb gb tb
`);

/** Followers that form a time with `last`: `lastUpdated`, `lastModified`. */
export const TIMED: ReadonlySet<string> = words(`
  updated modified saved seen accessed used changed checked polled synced synchronised synchronized refreshed run fetched loaded touched visited read written active connected opened edited viewed
  started finished logged pinged indexed backed built deployed published generated created retried attempted
`);

/** Words that end a head. The words after them only qualify it: `planForReview`, `exampleFromDocs`. */
export const PREPOSITIONS: ReadonlySet<string> = words(`
  of for from by in with to per since until till before after during about on via without against between into under over than if when while because
  across around through within toward towards regarding concerning behind beyond upon where that which
`);

/** First words of yes-or-no keys. Such a key is a switch for the next step, unless its subject is ephemeral. */
export const AUXILIARIES: ReadonlySet<string> = words(`
  is are was were has have had should shall can could may might will would does did do needs need requires require enable enabled disable use uses allow allows
  include includes skip force show hide supports want wants ready
`);

/** Words that make a yes-or-no key ephemeral. */
export const FLEETING: ReadonlySet<string> = words(`
  loading loaded running warmup open visible hidden expanded collapsed focused hovered dirty busy idle online connected polling scrolling typing animating mounted rendered
  debug debugging trace tracing log logs logging telemetry verbose cache cached metric metrics retrying spinner quiet silent muted dark modal tooltip sidebar locked refreshing fetching saving
`);

/** Words in -ing for lasting conditions: `isMissing`. */
export const LASTING: ReadonlySet<string> = words(
  `missing blocking breaking pending outstanding remaining existing passing failing conflicting`,
);

/** Function words without meaning for the classification. */
export const FILLERS: ReadonlySet<string> = words(
  `the a an we i you they it he she my our your their its this these those has have been was were be so far and or as`,
);

/** Words that say nothing about the value. The value decides. */
export const OPAQUE: ReadonlySet<string> = words(`
  note notes item entry a b c d e f g h i j k l m n o p q r s t u v w x y z aa bb xx yy zz xyz itm fld paragraph sentence value val data datum thing stuff misc other various foo bar baz qux text txt string str content field key obj object
  payload info var variable arg param el element node blob extra extras unnamed untitled anonymous any some unknown ref memo remark comment section slot cell box
  entries ding zeug zeugs zettel notiz cosa nota truc メモ 备注
  block part piece bit chunk fragment line message msg input prop property attribute attr record row json raw mixed general tmpvalue main body result output res ret
`);
