import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { SessionRow } from "../data/sessions.ts";
import type { TimelineRow } from "../data/timeline.ts";
import { titleOf } from "./format.ts";
import { CopyButton } from "./parts.tsx";
import { go } from "./route.ts";
import { SafeText } from "./safe-text.tsx";
import { usePage } from "./use-data.ts";

/** The ways to go on from a checkpoint in each host: a message for an agent, or a line for a terminal. */
function waysToResume(id: string): readonly (readonly [host: string, text: string])[] {
  const message = `Call workflow_resume with checkpointId ${id} and go on from there.`;
  return [
    ["Any agent", message],
    ["Claude Code", `claude "${message}"`],
    ["Codex", `codex "${message}"`],
    ["Gemini CLI", `gemini -i "${message}"`],
    ["opencode", `opencode --prompt "${message}"`],
    ["Cursor", `cursor-agent "${message}"`],
    ["Terminal", `workrail resume --checkpoint ${id}`],
  ];
}

export interface ActionsProps {
  readonly id: string;
  readonly row: TimelineRow | undefined;
  readonly session: SessionRow;
  /** True for the latest checkpoint. */
  readonly isHead: boolean;
}

/** The actions of a person on a checkpoint. */
export function Actions({ id, row, session, isHead }: ActionsProps): JSX.Element {
  const { mayWrite, host } = usePage();
  const { sendToAgent } = host;
  return (
    <div class="actions">
      {sendToAgent === undefined ? <ResumeMenu id={id} /> : <ResumeHere id={id} send={sendToAgent} />}
      <CopyButton text={id} label="Copy id" />
      {mayWrite ? (
        <>
          <Fork id={id} session={session} row={row} isHead={isHead} />
          <TagSession session={session} />
          <Keep session={session} />
          <Remove id={id} row={row} session={session} />
        </>
      ) : null}
    </div>
  );
}

function ResumeHere({ id, send }: { readonly id: string; readonly send: (text: string) => Promise<void> }): JSX.Element {
  const { tell } = usePage();
  const resume = async (): Promise<void> => {
    try {
      await send(waysToResume(id)[0]?.[1] ?? "");
      tell("The agent was told.");
    } catch (error) {
      tell(`The host did not pass the message on: ${error instanceof Error ? error.message : String(error)}`);
    }
  };
  return (
    <button type="button" class="primary" onClick={() => void resume()}>
      Resume from here
    </button>
  );
}

function ResumeMenu({ id }: { readonly id: string }): JSX.Element {
  const { mayWrite } = usePage();
  return (
    <details class="menu">
      <summary class="button primary">Resume…</summary>
      <div class="menu-body">
        <p class="faint">Copy a line for the host where the work goes on:</p>
        <ul>
          {waysToResume(id).map(([host, text]) => (
            <li key={host}>
              <span>{host}</span>
              <code>{text}</code>
              <CopyButton text={text} label="Copy" />
            </li>
          ))}
        </ul>
        {mayWrite ? null : (
          <p class="faint">
            To make this state the latest of its session again, start the page with <code>workrail ui --write</code>: it then has “Fork from
            here”.
          </p>
        )}
      </div>
    </details>
  );
}

/** Saves a state again as the latest of its session: an earlier one to continue from there, the latest one to give it a name. */
function Fork({ id, session, row, isHead }: ActionsProps): JSX.Element {
  const { api, act } = usePage();
  const [name, setName] = useState("");
  const fork = (event: Event): void => {
    event.preventDefault();
    void act(async () => {
      const { checkpointId } = await api.fork({ checkpointId: id, name });
      go({ sessionId: session.id, checkpointId });
      return isHead
        ? "The latest state has the name. The checkpoint before it holds the same state."
        : "This state is the latest of the session again. The newer checkpoints are still there.";
    });
  };
  const title = <strong>{row === undefined ? id : <SafeText text={titleOf(row)} />}</strong>;
  return (
    <details class="menu">
      <summary class="button">{isHead ? "Name…" : "Fork from here…"}</summary>
      <form class="menu-body" onSubmit={fork}>
        {isHead ? (
          <p>Saves the state of {title} again under a name, because the name of a checkpoint cannot change.</p>
        ) : (
          <p>Saves the state of {title} again as the latest, so that work continues from here. Nothing is lost.</p>
        )}
        <label>
          Name of the new checkpoint{" "}
          <input type="text" maxLength={200} required={isHead} value={name} onInput={(event) => setName(event.currentTarget.value)} />
        </label>
        <button type="submit" class="primary">
          {isHead ? "Save" : "Fork"}
        </button>
      </form>
    </details>
  );
}

function TagSession({ session }: { readonly session: SessionRow }): JSX.Element {
  const { api, act } = usePage();
  const [tag, setTag] = useState("");
  const change = (add: readonly string[], remove: readonly string[]): Promise<void> =>
    act(async () => {
      await api.tag({ sessionId: session.id, add: [...add], remove: [...remove] });
      const undo = async (): Promise<string> => {
        await api.tag({ sessionId: session.id, add: [...remove], remove: [...add] });
        return "The tags are as before.";
      };
      return { text: add.length > 0 ? "The session has the tag." : "The tag is gone.", undo };
    });
  return (
    <details class="menu">
      <summary class="button">Tags…</summary>
      <form
        class="menu-body"
        onSubmit={(event) => {
          event.preventDefault();
          if (tag.trim() !== "") void change([tag.trim()], []);
          setTag("");
        }}
      >
        {session.tags.length === 0 ? <p class="faint">The session has no tags.</p> : null}
        <ul>
          {session.tags.map((each) => (
            <li key={each}>
              <SafeText text={each} />
              <button type="button" aria-label={`Remove the tag ${each}`} onClick={() => void change([], [each])}>
                Remove
              </button>
            </li>
          ))}
        </ul>
        <label>
          New tag <input type="text" maxLength={100} value={tag} onInput={(event) => setTag(event.currentTarget.value)} />
        </label>
        <button type="submit">Add</button>
      </form>
    </details>
  );
}

function Keep({ session: { id, isKept } }: { readonly session: SessionRow }): JSX.Element {
  const { api, act } = usePage();
  const keep = (): Promise<void> =>
    act(async () => {
      await api.keep({ sessionId: id, isKept: !isKept });
      return isKept ? "Clean-up may remove old checkpoints of this session again." : "Nothing of this session is removed automatically.";
    });
  return (
    <button type="button" aria-pressed={isKept} onClick={() => void keep()}>
      {isKept ? "Kept" : "Keep"}
    </button>
  );
}

function Remove({ id, row, session }: Omit<ActionsProps, "isHead">): JSX.Element {
  const { api, act } = usePage();
  const remove = (): Promise<void> =>
    act(async () => {
      const { removed } = await api.remove({ checkpointId: id });
      if (removed === 0) return "It was removed already.";
      go({ sessionId: session.id });
      const undo = async (): Promise<string> => {
        await api.restore({ sessionId: session.id, checkpointId: id });
        go({ sessionId: session.id, checkpointId: id });
        return "It is back in its place.";
      };
      return { text: `${row === undefined ? "The checkpoint" : `#${row.sequence}`} is in the trash.`, undo };
    });
  return (
    <button type="button" class="danger" onClick={() => void remove()}>
      Delete
    </button>
  );
}
