import { type ComponentChild, render } from "preact";
import { App } from "./app.tsx";
import type { Host } from "./host.ts";
import { Failure } from "./parts.tsx";

/** Shows the page once its host is ready. Until then the document shows its own frame, which is painted before any script has run. */
export function showPage(host: Host): void {
  host.ready.then(
    () => show(<App host={host} />),
    (error: Error) => show(<Refused error={error} />),
  );
}

function show(content: ComponentChild): void {
  const root = document.querySelector("#page");
  if (root === null) return;
  root.replaceChildren();
  render(content, root);
}

function Refused({ error }: { readonly error: Error }): ComponentChild {
  return (
    <main class="alone">
      <h1>Workrail</h1>
      <Failure error={error} />
    </main>
  );
}
