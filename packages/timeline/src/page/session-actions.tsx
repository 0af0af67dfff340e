import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { SessionRow } from "../data/sessions.ts";
import { Menu } from "./menu.tsx";
import { SafeText } from "./safe-text.tsx";
import { usePage } from "./use-data.ts";

/** The actions of a person on a session. */
export function SessionActions({ session }: { readonly session: SessionRow }): JSX.Element | null {
  if (!usePage().mayWrite) return null;
  return (
    <div class="actions">
      <TagSession session={session} />
      <Protect session={session} />
    </div>
  );
}

function TagSession({ session }: { readonly session: SessionRow }): JSX.Element {
  const { api, act } = usePage();
  const [tag, setTag] = useState("");
  const tags = tagsOf(session);
  const change = (add: readonly string[], remove: readonly string[]): Promise<void> =>
    act(async () => {
      await api.tag({ sessionId: session.id, add: [...add], remove: [...remove] });
      const undo = async (): Promise<string> => {
        await api.tag({ sessionId: session.id, add: [...remove], remove: [...add] });
        return "The tags were restored.";
      };
      return { text: add.length > 0 ? "The tag was added." : "The tag was removed.", undo };
    });
  return (
    <Menu label="Tags of the session…">
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (tag.trim() !== "") void change([tag.trim()], []);
          setTag("");
        }}
      >
        {tags.length === 0 ? <p class="faint">The session has no tags.</p> : null}
        <ul>
          {tags.map((each) => (
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
    </Menu>
  );
}

/** The tag that protects a session has a button and a word of its own. */
const PROTECTION = "keep";

export function tagsOf({ tags }: SessionRow): readonly string[] {
  return tags.filter((tag) => tag !== PROTECTION);
}

function Protect({ session: { id, isKept } }: { readonly session: SessionRow }): JSX.Element {
  const { api, act } = usePage();
  const protect = (): Promise<void> =>
    act(async () => {
      await api.keep({ sessionId: id, isKept: !isKept });
      return isKept ? "Clean-up may remove old checkpoints of this session again." : "Nothing of this session is removed automatically.";
    });
  return (
    <button type="button" aria-pressed={isKept} onClick={() => void protect()}>
      {isKept ? "Protected" : "Protect from clean-up"}
    </button>
  );
}
