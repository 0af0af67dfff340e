import type { JSX } from "preact";
import type { StorageUse } from "../data/storage.ts";
import { backAgain } from "./actions.tsx";
import { bytes, day, number, plural, titleOf } from "./format.ts";
import { Ago, Await } from "./parts.tsx";
import { SafeText } from "./safe-text.tsx";
import { useData, usePage } from "./use-data.ts";

/** The use of the store, the next removals with their reasons, and the trash. */
export function StorageScreen(): JSX.Element {
  const { api, version } = usePage();
  const loaded = useData("storage", () => api.storage({}), version);
  return (
    <>
      <div class="pane-head">
        <a class="back" href="#/">
          Sessions
        </a>
        <h2>Storage and trash</h2>
      </div>
      <div class="panel">
        <Await loaded={loaded}>
          {(use) => (
            <>
              <Use use={use} />
              <Rules use={use} />
              <Next use={use} />
              <Trash use={use} />
            </>
          )}
        </Await>
      </div>
    </>
  );
}

function Use({ use: { usedBytes, limitBytes, trashBytes, checkpoints, warnings } }: { readonly use: StorageUse }): JSX.Element {
  return (
    <section>
      <p class="summary">
        {bytes(usedBytes)} of {bytes(limitBytes)} are used, {bytes(trashBytes)} of it by the trash. {plural(checkpoints, "checkpoint")} in
        all.
      </p>
      <span class="meter big" role="img" aria-label={`${Math.round((100 * usedBytes) / limitBytes)}% of the quota is used`}>
        <span style={{ width: `${Math.max(0.5, (100 * usedBytes) / limitBytes)}%` }} />
      </span>
      {warnings.map((warning) => (
        <p key={warning} class="note">
          {warning}
        </p>
      ))}
    </section>
  );
}

/** The rules in force, and what each takes next. */
function Rules({ use: { rules, nextUnused, limitBytes } }: { readonly use: StorageUse }): JSX.Element | null {
  if (rules === undefined) return null;
  const { retentionDays, trashDays, cleanUpFromPercent } = rules;
  const goes = trashDays === 0 ? "are removed for good" : "go to the trash";
  return (
    <section>
      <h3>Scheduled removals</h3>
      <ul class="rules">
        <li>
          {retentionDays === 0 ? (
            "No session is removed because of its age."
          ) : (
            <>
              Sessions unused for {plural(retentionDays, "day")} {goes}:{" "}
              {nextUnused.length === 0 ? (
                "there is none."
              ) : (
                <>
                  the next, unless they are used before:
                  <ol class="due">
                    {nextUnused.map(({ sessionId, name, dueAt }) => (
                      <li key={sessionId}>
                        <strong>
                          <SafeText text={name ?? sessionId} />
                        </strong>{" "}
                        {isPast(dueAt) ? "now" : `on ${day(dueAt)}`}
                      </li>
                    ))}
                  </ol>
                </>
              )}
            </>
          )}
        </li>
        <li>
          {trashDays === 0 ? "There is no trash." : `A checkpoint in the trash is removed for good after ${plural(trashDays, "day")}.`}
        </li>
        <li>
          Above {cleanUpFromPercent} % of {bytes(limitBytes)} the trash is emptied, and then the least recently used sessions are removed.
        </li>
        <li>
          “Protect from clean-up”, a button above the timeline of a session, exempts its checkpoints: they stay until somebody deletes them
          or removes the protection. The tag <code>keep</code> does the same for a single checkpoint. A session in use stays.
        </li>
        <li>
          Checkpoints saved by hooks are thinned out: after a day only the last of each hour stays, after a week only the last of each day.
          The others {trashDays === 0 ? "are removed for good" : "go to the trash"} at the next clean-up.
        </li>
      </ul>
    </section>
  );
}

function isPast(iso: string): boolean {
  return new Date(iso).getTime() <= Date.now();
}

/** Reasons of the store's policy, in words. */
const REASONS: Readonly<Record<string, string>> = {
  retention: "unused for long",
  thinning: "thinned out: old checkpoint of a hook",
  "aside-age": "aside past its age limit",
  quota: "the store is nearly full",
  "disk-full": "the disk is full",
  "trash-age": "past its time in the trash",
  "trash-share": "the trash is too large",
};

function Next({ use: { next } }: { readonly use: StorageUse }): JSX.Element {
  return (
    <section>
      <h3>What clean-up would remove now</h3>
      {next.length === 0 ? (
        <p class="faint">Nothing.</p>
      ) : (
        <table>
          <thead>
            <tr>
              <th scope="col">Session</th>
              <th scope="col" class="words">
                Why
              </th>
              <th scope="col">Checkpoints</th>
              <th scope="col">Size</th>
              <th scope="col" class="words">
                Goes
              </th>
            </tr>
          </thead>
          <tbody>
            {next.map((each) => (
              <tr key={`${each.sessionId} ${each.reason} ${each.to}`}>
                <th scope="row">
                  <SafeText text={each.sessionId} />
                </th>
                <td class="words">{REASONS[each.reason] ?? each.reason}</td>
                <td>{number(each.checkpoints)}</td>
                <td>{bytes(each.bytes)}</td>
                <td class="words">{each.to === "trash" ? "to the trash" : "for good"}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </section>
  );
}

function Trash({ use: { trash, trashed } }: { readonly use: StorageUse }): JSX.Element {
  const { api, act, mayWrite } = usePage();
  return (
    <section>
      <h3>Trash</h3>
      {trash.length === 0 ? <p class="faint">It is empty.</p> : null}
      {trashed > trash.length ? (
        <p class="faint">
          The newest {number(trash.length)} of {number(trashed)}.
        </p>
      ) : null}
      <ul class="reasons">
        {trash.toReversed().map((each) => (
          <li key={each.id}>
            <strong>
              #{each.sequence} <SafeText text={titleOf(each)} />
            </strong>{" "}
            <span class="faint">
              of <SafeText text={each.sessionId} />, deleted <Ago at={each.trashedAt} />
              {each.dueAt === undefined ? "" : `, removed for good on ${day(each.dueAt)}`}
            </span>{" "}
            {mayWrite ? (
              <button
                type="button"
                onClick={() =>
                  void act(async () => {
                    await api.restore({ sessionId: each.sessionId, checkpointId: each.id });
                    return backAgain(each.sequence);
                  })
                }
              >
                Put back
              </button>
            ) : null}
          </li>
        ))}
      </ul>
    </section>
  );
}
