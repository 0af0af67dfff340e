import type { ComponentChildren, JSX } from "preact";
import { useEffect, useId, useRef } from "preact/hooks";

export interface MenuProps {
  readonly label: string;
  /** Name for screen readers, when the label is only a sign. */
  readonly name?: string;
  readonly class?: string;
  readonly children: ComponentChildren;
}

/** Space between a menu and the edges of the window. */
const EDGE = 8;
/** Space that a menu has below its button at least; otherwise it begins further up. */
const LEAST_HEIGHT = 260;

/**
 * A button that opens a part of the page above the others. The browser shows one at a time, closes it by Esc or a click outside, and takes
 * the focus back to the button.
 */
export function Menu({ label, name, class: own = "", children }: MenuProps): JSX.Element {
  const id = useId();
  const button = useRef<HTMLButtonElement>(null);
  const body = useRef<HTMLDivElement>(null);
  // A menu belongs to the screen that it was opened on, which the browser's own buttons leave too.
  useEffect(() => {
    const close = (): void => body.current?.hidePopover();
    addEventListener("hashchange", close);
    return () => removeEventListener("hashchange", close);
  }, []);
  const place = ({ newState }: Pick<ToggleEvent, "newState">): void => {
    const [around, menu] = [button.current?.getBoundingClientRect(), body.current];
    if (newState !== "open" || around === undefined || menu === null) return;
    const left = Math.max(EDGE, Math.min(around.left, innerWidth - menu.offsetWidth - EDGE));
    const top = Math.max(EDGE, Math.min(around.bottom + EDGE / 2, innerHeight - Math.min(menu.scrollHeight, LEAST_HEIGHT) - EDGE));
    Object.assign(menu.style, { left: `${left}px`, top: `${top}px`, maxHeight: `${innerHeight - top - EDGE}px` });
    menu.querySelector<HTMLElement>("input")?.focus();
  };
  return (
    <>
      <button ref={button} type="button" class={own} popovertarget={id} aria-label={name} aria-haspopup="dialog">
        {label}
      </button>
      <div ref={body} id={id} class="menu-body" popover="auto" role="dialog" aria-label={name ?? label} onToggle={place}>
        {children}
        <button type="button" class="close" popovertarget={id} popovertargetaction="hide">
          Close
        </button>
      </div>
    </>
  );
}
