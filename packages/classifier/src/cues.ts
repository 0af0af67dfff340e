import type { Layer } from "@workrail/core";

/*
 * Words and turns of phrase that show the kind of a sentence under a meaningless key, with their weight: 3 decides alone, 1 is a
 * weak hint. Each has at most `LONGEST_CUE` words, in lower case.
 */

export const LONGEST_CUE = 3;

interface Cue {
  readonly layer: Layer;
  readonly weight: number;
}

/** People who give orders, and the verbs of their orders. */
const ASKERS = list("user, user's, users, customer, client, owner, team, boss, manager, stakeholder, stakeholders, sponsor, they, she, he");
const ASKING = list(
  "wants, want, asked, asks, needs, requires, requested, prefers, insists, insisted, expects, demands, demanded, told, must, wishes, chose, decided, agreed, approved, confirmed that",
);

const TABLE: readonly (readonly [Layer, number, string])[] = [
  [
    "CRITICAL",
    3,
    `must, must not, must never, shall, shall not, never, mandatory, forbidden, prohibited, not allowed, non-negotiable, nonnegotiable, under no circumstances, required to, is required, are required,
     goal, objective, requirement, requirements, non-goal, non-goals, constraint, constraints, acceptance, acceptance criteria, acceptance criterion, definition of done, success means, success criteria, hard limit, deadline, invariant,
     decision, decided, we decided, we agreed, agreed, agreed with, settled on, we chose, we picked, we will use, we go with, going with, committed to, signed off, sign-off, verdict, final answer, ruling, task, instruction, instructions,
     preference, do not, don't, always, policy, the rule is, rule,
     have chosen, has chosen, we have chosen, have decided, has decided, we have decided, have agreed, has agreed, we have agreed, doesn't want, don't want, does not want, do not want, didn't want, no longer wants,
     i need, voted for, voted to, voted against, nobody may, no one may, was approved, were approved, was chosen, were chosen,
     i want, i want to, i would like, i'd like, would like, we want, wish to, wishes to, please, done when, is done when, complete when, success is,
     will go with, we'll go with, went with, opted for, it was decided, it was agreed, the choice is, the aim is, our aim, must be, may only, may not exceed,
     cannot be, can't be, are to be, is to be, comes first, come first, matters more, matters most, allergic, allergic to, intolerant, refuses, refuses to, dislikes, hates,
     turned down, no later, voted, waived, winner is, settled for, none of, left out of, whatever happens, no matter what, at any price, insisted on, insists on, insist on, asked that, decided that, decided on, decided against,
     has the last word, comes before, is reserved for, are reserved for, only acceptable, only licences, only licenses, otherwise it is, or not at all, no substitutes,
     wish is, only wish, non-refundable, not refundable, gluten-free, asks that, asked that, asks for, the purpose of, purpose of, will not, won't, we won't, shall be, awarded the, awarded to, rejected the, approves, approved the, from now on, as of now, my client, can you, could you, would you, will you, i'd prefer, eligible, not eligible, entitled to, capped at, is capped, capped, restricted to, limited to, settled, resolved, would prefer, 'd prefer, would rather, 'd rather, is fixed, are fixed, has been fixed, it has been, won, has won, was elected, was selected,
     final diagnosis, final price, final score, final choice, final version, ruled that, may keep, may use, may be used, may enter, only those, only people, only members, has asked, have asked, asked whether, was told to, were told to, was asked to, were asked to, is expected to, are expected to,
     is supposed to, are supposed to, is obliged to, are obliged to, is bound to, goes to, it stays, by law, by contract, the law, off the table, take care, take care that, see to it, mind that, remember to, be sure to, no longer than, no longer, until further notice, with immediate effect, for good,
     forbids, forbid, prohibits, prohibit, you are to, i'd be happy, success looks like, first choice, second choice, last resort, deliverable, deliverable is, deliverables, cannot exceed, can not exceed, not exceed, above all, at all costs, not acceptable, no exceptions, strictly, off limits, out of scope, in scope`,
  ],
  [
    "CRITICAL",
    2,
    `at most, at least, no more than, not more than, no later than, not later than, no earlier than, only if, unless, has to, have to, needs to, need to, ought to, prefers, insists, please, approved, approved by, accepted, chose, chosen,
     selected, asked for, asked to, asked us, asked me, wants to, user wants, without breaking, without losing, without downtime, without changing, without touching, limit, required, comply, complies, gdpr, hipaa, cannot move, stay closed,
     not negotiable, stay below, stay under, stay within, should not, should never, has to be, have to be, nothing else, and nothing else, only the, wants, insisted, rather than, stays, remains, closes on, ends on, is due, picked, picked the, picks, elected, require, requires, expect, expects, preferred, prefer, permitted, permit, permits, no one, final, if the customer, if a customer, if the user, if a user, if the client, if the patient, if a member, must also, be kept, be signed, be paid, be sent, be used, be told, are to, takes place, without a, not before, not after, not until, no more, not in, not to, not at, not from, not the, not by, at once, only use, exactly, as requested, is final, the answer is, is allowed, are allowed, may not, instead of`,
  ],
  [
    "CRITICAL",
    1,
    "should, only, keep, ensure, budget, every, by friday, by monday, by the end, by march, before the, target, aim, criteria",
  ],
  [
    "IMPORTANT",
    3,
    `reminder, reminder to self, note to self, my bet, i bet, half way, halfway, still have to, still has to, still needs to, still has, nobody has, no one has, contradict, contradicts, contradictory, breaks down, takes over, take over, so the,
     would free, would make, would take, would mean, would cost, surprised me, surprising, surprisingly, through with, as far as, as far, confuse, confuses, confused by, are confused, does not add up,
     whenever, every time, only happens, happens only, not been able, could not, couldn't, did not help, didn't help, no idea, wonder, wondering, in doubt, comes from, come from, stems from,
     the less, the more, no difference, any difference, made no, could it be, seems, proofread, improved, underestimated, overestimated, misread, impression, impressions, weak spot, best lead, lead is, explained yet, show that, shows that, showed that, shown that, reveal, reveals, revealed, appears that, it appears, appeared to, turned out, proves, proved, proved to, demonstrates, demonstrated, discovered, traced to, traced back, identified,
     detected, spotted, realised, realized, established that, explains why, is why, that's why, which is why, in fact, contrary to, unexpected, unexpectedly, despite, although, even though, however, nevertheless, whereas,
     it is clear, it's clear, clear that, the reason, one reason, my reading, my impression, judging by, judging from, most likely, more likely, less likely, unlikely, it only, disagree, disagrees, left to, times faster, times slower, times as, twice as, faster than, slower than, lacks, because, therefore, hence, hypothesis, suspect, suspects, suspected, suspicion, root cause, finding, findings, analysis, risk, risks, open question, open questions, next step, next steps, next, plan, to do, todo, remaining,
     i think, we think, it seems, seems to, seems that, looks like, appears to, probably, likely, maybe, perhaps, turns out, suggests, suggests that, indicates, indicates that, implies, conclusion, conclude, trade-off, trade-offs,
     guess, my guess, concern, concerns, main concern, worry, worried, still to do, to be done, left to do, still need, still needs, still missing, ruled out, cannot explain,
     after comparing, comparing, on balance, in summary, to summarise, to summarize, overall, all in all, correlates with, points to, hints at, tends to, evidence, as if, we tried, already tried, next up, up next, afterwards,
     we have, have finished, has finished, tbd, trade-offs are, pros, cons, differ because, differs because, because of, blocker, blockers, in progress, not yet,
     explanation, possible explanation, possibly, presumably, apparently, supposedly, evidently, not clear, nobody knows, no one knows, unsure, doubt, doubts, doubtful,
     suggest, suggest that, indicate, imply, hint at, to go, were not, could be, might be, would explain, danger, dangers, biggest danger, worst case, weakness, drawback, downside, lesson, lessons, insight, idea, option a, assumption, assume, assuming, explains, caused by, due to, so far, blocked, blocked by, waiting for, let me, let's, we should, should we, not sure, unclear, unknown, uncertain, summary, in short, step 1, phase 1`,
  ],
  [
    "IMPORTANT",
    2,
    `then, step, phase, found, found that, noticed, observed, observation, investigate, verify, check whether, consider, compared, compare, depends on, strategy, approach, climbs, steadily, stagnates, stagnated, i will, i'll, might, could, cause, fails when,
     fails if, fails because, fails for, leak, leaks, grows, grew, drops, since, whether, why, done, half done, finished, still open, tried, means that, reason, started, progress, status, currently, option, alternative, better than, worse than`,
  ],
  [
    "IMPORTANT",
    1,
    "yet, would, than, i, we, us, my, our, when, first, after, if, so, but, only when, again, still, problem, issue, later, already, worked, works",
  ],
  [
    "CRITICAL",
    3,
    `muss, müssen, darf nicht, dürfen nicht, darf nie, niemals, auf keinen fall, keinesfalls, verboten, zwingend, verlangt, besteht darauf, der kunde will, der nutzer will, entschieden, beschlossen, vereinbart, zugesagt, haben uns, entscheidung, anforderung, vorgabe, frist, spätestens,
     doit, doivent, ne doit, ne doivent, ne jamais, ne pas, interdit, exige, exigent, obligatoire, nous avons décidé, décidé, décision, il faut, exigence, au plus tard, le client veut, le client demande, l'utilisateur veut,
     debe, deben, no debe, no deben, nunca, prohibido, exige que, exigen, obligatorio, hemos decidido, decidido, se decidió, decisión, requisito, a más tardar, decidió, decidieron, decidimos, acordó, acordaron, el cliente quiere, el cliente pide, el usuario quiere`,
  ],
  [
    "IMPORTANT",
    3,
    `vermutlich, wahrscheinlich, ich vermute, wir vermuten, es scheint, scheint, deshalb, weil, ursache, grund dafür, nächster schritt, als nächstes, noch offen, noch zu, erledigt, plan ist, fehlt noch,
     probablement, il semble, semble, parce que, cause, la cause, prochaine étape, ensuite, reste à, encore à, nous pensons, sans doute, le risque,
     probablemente, parece, parece que, porque, la causa, siguiente paso, próximo paso, falta, queda por, pendiente, creemos, sospechamos, el riesgo`,
  ],
  [
    "EPHEMERAL",
    3,
    "processing, temporary, scratch, throwaway, ignore this, can be deleted, loading, heartbeat, retrying, polling, cache hit, cache miss, debug only, spinner, please wait, reconnecting, connection established",
  ],
  [
    "USEFUL",
    3,
    "for example, e.g, see also, according to, table of contents, read more, all rights reserved, dear, kind regards, best regards, sincerely, lorem ipsum, exit code, file updated, successfully, installation, getting started, see below, once upon a",
  ],
  ["USEFUL", 1, "chapter, example, http, https, file, page, version, figure, section"],
];

export const CUES: ReadonlyMap<string, Cue> = new Map([
  ...ASKERS.flatMap((asker) => ASKING.map((verb): [string, Cue] => [`${asker} ${verb}`, { layer: "CRITICAL", weight: 3 }])),
  ...TABLE.toReversed().flatMap(([layer, weight, cues]) => list(cues).map((cue): [string, Cue] => [cue, { layer, weight }])),
]);

function list(text: string): string[] {
  return text.split(",").map((cue) => cue.trim().replaceAll(/\s+/g, " "));
}

/** First words of a text that mark an order or a state of affairs. At other positions they mean little. */
export const OPENERS: ReadonlyMap<string, Cue> = new Map([
  ...openers(
    "CRITICAL",
    `no, only, use, keep, write, reply, respond, answer, cite, include, exclude, avoid, ensure, return, deliver, limit, stay, rank, list, pick, choose, anything, anybody, anyone, whoever, everyone, everybody, rather, refuse, prefer, remember, stick, format,
     delete, remove, find, get, fix, add, create, build, implement, rename, replace, convert, summarise, summarize, draft, prepare, produce, book, order, buy, pay, call, mail, email, reduce, cut, halve,
     double, increase, raise, lower, port, support, allow, block, require, publish, release, upgrade, update, change, correct, turn, let, help, explain, design, set, cheaper, under, within, below, max, maximum,
     preserve, leave, treat, guarantee, every, all, each, cancel, refund, exchange, make, nobody, nothing, none, without, just, ship, send, move, put, give, show, hide, speak, translate, label, sort, round, match, final, deny, grant, verdict`,
  ),
  ...openers(
    "IMPORTANT",
    `retest, recheck, rerun, retry, test, look, inspect, examine, debug, measure, profile, revisit, rethink, ask, got, perhaps, so,
     half, most, remaining, tomorrow, first, two, three, four, five, six, seven, eight, nine, both, either, neither, checked, tried, found, weakest, strongest, could, finished, started, reviewed,
     compared, investigated, waiting, blocked, stuck, whether, why, how, what, which, who`,
  ),
  ...openers("USEFUL", "dear, hi, hello, hey, chapter, figure, table, preheat, serves"),
]);

function openers(layer: Layer, text: string): [string, Cue][] {
  return list(text).map((word): [string, Cue] => [word, { layer, weight: layer === "USEFUL" ? 3 : 1 }]);
}

/** Verbs in the past tense that do not end in -ed. */
export const PASTS: ReadonlySet<string> = new Set(
  list(`was, were, had, did, didn't, wasn't, weren't, got, came, went, took, gave, made, said, told, saw, knew, thought, felt, began, broke, brought, built, bought, caught, cost, fell, fought, forgot, froze, grew, held, kept, led, left, lost, meant, met,
    paid, ran, read, rose, sent, shut, slept, sold, spent, split, spoke, stole, stood, stuck, threw, understood, woke, won, wrote, became, blew, chose, drew, drove, flew, hid, hit, lay, rang, sank, shook, sought, swore, tore, wore`),
);

/** Verbs that express a wish at the start of a text: `Prefers short answers`. */
export const WISHES: ReadonlySet<string> = new Set(list("prefers, wants, insists, demands, wishes"));

/** Words of the longest cue that begins with a word: few words of a text begin one. */
export const LONGEST_CUES: ReadonlyMap<string, number> = new Map(
  // A later entry of a map replaces an earlier one.
  [...CUES.keys()]
    .map((cue) => cue.split(" "))
    .toSorted((one, other) => one.length - other.length)
    .map((words) => [words[0] ?? "", words.length]),
);

/** Turns of phrase in Chinese and Japanese; the binding ones come first. */
export const WIDE_CUES: readonly (readonly [Layer, readonly string[]])[] = [
  [
    "CRITICAL",
    list(
      "必须, 必須, 不得, 禁止, 不能, 不许, 切勿, 务必, 绝不, 要求, 决定, 決定, 一律, 不再, なければならない, なければなりません, てはならない, てはいけない, ではならない, ないこと, すること, 必ず, 決めた, 決まった, 希望, 要望, 以内に, までに",
    ),
  ],
  [
    "IMPORTANT",
    list(
      "因为, 因此, 可能, 怀疑, 发现, 下一步, 接下来, 尚未, 还没, 原因, 风险, 看来, 目前看, 倾向于, 今のところ, 検討の結果, と考えられ, と思われる, ようだ, らしい, かもしれない, ので, ため, 原因, 次に, 次は, まだ, 調べる, 疑い, 恐れ, 判明",
    ),
  ],
];
