import type { Layer } from "@workrail/core";

/** Nouns for work that continues in the next session; the following ones say where it stands: `loopIndex`, `workflowId`, `stepNumber`. */
const RUNNING = ["loop", "workflow", "step", "phase", "stage", "iteration"];
const WHERE_IT_IS = [
  "id",
  "index",
  "idx",
  "number",
  "num",
  "counter",
  "state",
  "item",
  "variable",
  "iterator",
  "position",
  "pointer",
  "cursor",
];

/** Objects that a loop iterates over, and the position within them. */
const GONE_OVER = ["item", "task", "section", "chapter", "batch", "chunk", "slice", "question", "milestone"];
const WHICH = ["index", "idx", "counter", "pointer", "position"];

/** The same for modifiers that show that the loop is running: `currentIteration`, unlike `iteration`. */
const AT_WORK = ["current", "remaining", "left", "completed", "total"];
const REPEATED = ["iteration", "loop", "round", "cycle", "index", "batch", "pass"];

/** Compounds whose meaning differs from that of their last word. The longest one at the end of the head decides. */
export const PHRASES: ReadonlyMap<string, Layer> = new Map([
  ...phrases(
    "CRITICAL",
    `done when, finished when, complete when, accepted when, hearing date, court date, filing date, submission date, deal term, contract term, payment term, target price, target cost, target weight, target score, target date, end state, target state, desired state, goal state, acceptance test, acceptance scenario, desired outcome, expected outcome, intended outcome, target outcome, wanted outcome, due date, end goal, win state, win condition, stop condition, exit condition, success condition,
     victory condition, success measure, success metric, success definition, success indicator, success signal, definition of done, definition of ready, out of scope, off limit, no go, no go area, do and dont, final reply, final response, task prompt, user said, user asked, asked for, must have, must not,
     must haves, should have, nice to have, never do, do not, non goal, anti goal, hard line, red line, north star, problem statement,
     problem description, bug description, feature description, task description, story description, change description, request description, defect description, scope boundary, research question, problem definition, problem frame, problem framing, mission statement, vision statement, user story, user input, user message,
     user prompt, user query, user question, user feedback, user comment, user reply, user answer, user text, user note, user statement,
     user correction, user context, system prompt, original prompt, initial prompt, original message, original input, initial message, initial input, first message, original question,
     original query, initial query, feature request, change request, exit criteria, service level, final output, final position, issue description, issue statement, issue text, issue body, issue title, bug report, ticket description,
     house rule, business rule, legal hold, litigation hold, required output, expected output, desired output, wanted output, expected result, desired result, expected format, output format, response format, bottom line, final finding, issue to fix, bug to fix, defect to fix, problem to fix, question to answer, expected behaviour, expected behavior, desired behaviour, desired behavior, required behaviour, required behavior, definition of success, meaning of done, meaning of success, measure of success, idea of done, condition of success, condition for success, condition of acceptance, work type, work kind, job type, job kind, change type, change kind, assignment type, project type, request type, request kind, mission type, ground rule, legal basis, error budget, service limit, size limit, time limit, rate limit, go no go,
     working agreement, code of conduct, style preference, core value, quality bar, quality gate, target audience, brand voice, brand tone, quiet hour, hiring bar, acceptance bar, notice period, retention period, grace period, withdrawal period, waiting period, cooling off period, probation period, warranty period, lockup period, quarantine period, blackout day, blackout date, blackout period, visa condition, bail condition, parole condition, contract condition, rental condition, court order, restraining order, gag order, standing order, stop loss, stop loss price, reserve price, walk away price, house style, lender condition, loan condition, lease condition, license condition, licence condition, permit condition, sale condition, purchase condition, human feedback, human input, human instruction, human request, human answer, human reply, human correction, settlement floor, price floor, rate floor, bid floor, salary floor, delivery window, pickup window, maintenance window, change window, freeze window, blackout window, return window, refund window, cancellation window, hard stop, deal breaker, tone of voice`,
  ),
  ...phrases(
    "IMPORTANT",
    `error source, error cause, conversation state, dialog state, dialogue state, work log, progress log, status update, status report, progress update, progress report, progress note, state machine, failure mode, blind spot, deep dive, attack vector, waiting on, root cause, pain point, open point, talking point, decision point, turning point, edge case, corner case, use case,
     action item, work item, open item, open thread, loose end, next up, dependency order, implementation order, processing order, logic error, logical error, to do, sub goal, sub task, side effect, test plan, test strategy, test approach,
     follow up, runner up, trade off, pull quote, dead end, working theory, state of play, lessons learned, line of thought, chain of thought,
     train of thought, critical path, happy path, migration path, upgrade path, learning path, decision path, escalation path, call path,
     code path, data path, access path, recovery path, exit path, execution path, attack path, data flow, control flow, task list, task breakdown,
     task plan, task status, task state, task history, task graph, task dependency, job status, job queue, story map, ticket list, ticket status,
     data model, mental model, domain model, threat model, working model, order of work, order of operation, limiting factor, risk budget,
     answer outline, answer draft plan, goal history, goal progress, decision rationale, decision reason, decision tree, decision matrix,
     working memory, long term memory, memory note, project memory, requirement gap, scope creep, scope warning, budget status,
     retry strategy, next turn, error analysis, observed behaviour, observed behavior, actual behaviour, actual behavior, current behaviour, current behavior, slice order, step order, task order, phase order, build order, migration order, rollout order, execution order, reading order, false positive, false negative, sticking point, red flag, red herring, rabbit hole, stumbling block, game plan, punch list, sanity check, anti pattern, code smell, resume point, left off, where we stand, what next, state of work, state of things, error pattern, error handling`,
  ),
  ...pairs(RUNNING, WHERE_IT_IS),
  ...pairs(GONE_OVER, WHICH),
  ...pairs(AT_WORK, REPEATED),
  ...phrases(
    "USEFUL",
    `quiz question, exam question, survey question, interview question, test question, lecture note, class note, release note, sheet music, case law, confusion matrix, paper abstract, reference pattern, plane ticket, train ticket, bus ticket, concert ticket, movie ticket, theatre ticket, theater ticket, museum ticket, lottery ticket, parking ticket, season ticket, return ticket, chat log, conversation log, message log, commit log, git log, git log output, git status, user messages, user queries, user comments, user replies, customer messages, product review, customer review, book review, movie review, user review, hotel review, weather forecast, coverage report, test coverage, pull request, merge request, http request, api request, web request, network request, raw request, sample request, request header, request body,
     purchase order, work order, order detail, order item, order history, order line, order number, order status, order data, order record,
     sort order, shell command, bash command, shell history, test command, build command, git command, command output, command result, command history, command line,
     terminal command, sql command, cli command, recent command, executed command, command list, command, commands run, job posting, job description, job listing, job ad,
     job title, mail order, ticket price, ticket data, ticket record, support ticket, flight ticket, news story, story text, story draft,
     contract text, contract address, rental contract, smart contract, contract draft, api contract, error message, error text, commit message, chat message, test case, test suite, test data, test result, test file,
     test output, test report, test run, build output, test error, compiler error, compile error, lint error, type error, log excerpt,
     stack trace, call stack, tech stack, back trace, page content, page text, page source, code review comment, api spec, open api spec, openapi spec, schema spec,
     api policy text, phone number, flight number, scored goal, conceded goal, goal keeper, data point, entry point, price point, grid point, way point, control point, access point, user scenario, account number, invoice number, part number, serial number, tracking number, card number, tool call, function call, tool result,
     room rate, exchange rate, interest rate, tax rate, frame rate, heart rate, hit rate, birth date, birthday, departure date, arrival date, travel date, departure time, arrival time,
     delivery date, delivery time, release date, publication date, order date, check in date, check out date, opening hour, source map, index page, index file, index html,
     user list, user profile, user data, user record, user detail, user info, user account, user guide, user manual, user table, user name,
     problem set, answer key, sample answer, answer template, email draft, rule set file, lint rule, firewall rule, css rule, host name list, market cap, bottle cap,
     air temperature, design token, design file, design doc, design document, plan template, model output, model response, model file, workflow definition, workflow file,
     interface definition, position paper, log in page, search index, import map, memory dump, heap dump, core dump, heap snapshot, gpu model, port list, ports list, port mapping,
     job spec, credit limit, speed limit, card limit, product id, customer id, order id, user id, account id, sku id, reservation id, booking id, patient id, ticket id, issue id, employee id, document id, article id, asset id, student id,
     pass phrase, target file, target url, quest item, quest giver, quest reward, no show, amount due, balance due, floor plan, subscription plan, pricing plan, price plan, insurance plan, phone plan, target directory, target language, target user, time window, arrival window, departure window, launch window, booking window, goal example, budget table, change log, review comment`,
  ),
  ...phrases(
    "EPHEMERAL",
    `editor selection, text selection, cursor selection, selection range, selection start, selection end, undo stack, redo stack, stack size, list size, list length, array length, history size, history length, map size, frame stat, frame metric, lock owner, lock holder, health check, health status, log level, log format, log path, log file, log dir, log directory, log line, log entry, log output, log message, log buffer, log tail, log setting, log config, debug mode, debug level,
     debug output, debug flag, debug dump, debug message, debug line, console output, console log, temp file, tmp file, temp path, tmp path, temp dir, temp directory, tmp dir, tmp directory, temp folder, temporary file, temporary path,
     temporary directory, temporary folder, scratch file, scratch dir, scratch directory, scratch path, scratch pad, scratch space, scratch note, scratch area, scratch buffer, lock file, pid file, swap file, socket path, cache path, cache dir, cache directory,
     cache file, cache key, cache hit, cache hit rate, cache miss, cache entry, cache state, cached result, cached response, cached value, cached file, cached data, work dir, working directory, working dir, current directory,
     current dir, env id, ip address, mac address, sequence no, byte read, bytes read, byte sent, bytes sent, instance cost, run cost, session cost, api cost, llm cost, inference cost, token cost, model cost, expires in, md sum, sha sum, model stat, run stat, agent stat, session stat, token stat, network stat, disk stat, server stat, worker stat, request stat, http stat, container name, pod name, worker name, thread name, process name, batch number, frame number, job number, tick number, page number, line number, version number, build number, sequence number, attempt number, retry number, run number, turn number, round number,      current page, current time, current date, system time, local time, start time, end time, stop time, finish time, begin time, response time, run time, execution time,
     processing time, wait time, elapsed time, load time, total time, idle time, cpu time, build time, render time, request time, boot time, creation time, update time, save time, completion time, modification time,
     wall time, time stamp, time taken, time spent, time left, time remaining, time out, time zone, start date, end date, created date, creation date, updated date, update date, modified date, modification date, run date,
     saved date, today date, clock skew, http status, status code, exit code, return code, error code, error count, exit status, loading state, loading status, ui state, view state, scroll state, window state,
     editor state, tab state, form state, session state cache, connection state, connection status, socket state, retry state, poll state, animation state, hover state, rng state, prng state, random state, typing indicator, loading indicator, busy indicator, activity indicator, scroll indicator, internal state, process state,
     page token, access token, auth token, bearer token, refresh token, api token, session token, csrf token, next page token, continuation token, sync token, cancel token, token count, token usage, token total, tokens used, tokens left,
     session key, cache size, heap size, buffer size, queue size, queue length, queue depth, pool size, batch size, file size, page size, window size, screen size, byte size, memory size, context size,
     rate limit remaining, rate limit reset, percent complete, percent done, worker pool, thread pool, retry policy cache,
     performance data, performance stat, usage data, usage report cache, runtime info, process info, system info, host info, memory info, heartbeat info, trace flag, trace data, trace context, trace level, trace output, trace id,
     mouse position, focus state, active tab, selected tab, open tab, active panel, active window, selected row, selected index, selected line, stack depth, call depth, recursion depth, nesting depth, mouse x, mouse y, server time, client time, host time, device time, machine time, utc time, unix time, wall clock, worker thread, main thread, background thread, download speed, upload speed, transfer speed, network speed, revision number, draft number, row number, last poll, last run, last sync, last check, last access, last change, last modification, last heartbeat, last ping, last tick,
     last activity, last refresh, last update, last save, last fetch, last login, last write, last read, last attempt, last retry, last request, last start, last seen, next poll, next retry, next tick, next run, next attempt, user agent, dry run id`,
  ),
]);

function pairs(firsts: readonly string[], lasts: readonly string[]): [string, Layer][] {
  return firsts.flatMap((first) => lasts.map((last): [string, Layer] => [`${first} ${last}`, "IMPORTANT"]));
}

function phrases(layer: Layer, text: string): [string, Layer][] {
  return text.split(",").map((phrase) => [phrase.trim().replace(/\s+/g, " "), layer]);
}
