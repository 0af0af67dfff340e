import { createHash } from "node:crypto";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build, type Rolldown } from "vite";
import { viteSingleFile } from "vite-plugin-singlefile";

const PAGE = fileURLToPath(new URL("../page", import.meta.url));
const TESTING = fileURLToPath(new URL("../testing", import.meta.url));

/** Builds the page as one HTML document that allows only its own script and style to run. */
export async function buildPage(): Promise<string> {
  return withPolicy(await built(join(PAGE, "index.html")));
}

/** Builds the page for the host of an agent, which carries its calls. */
export async function buildApp(): Promise<string> {
  return withPolicy(await built(join(PAGE, "app.html")));
}

/** Builds a host for tests of that page. */
export async function buildTestHost(): Promise<string> {
  return built(join(TESTING, "app-host.html"));
}

async function built(file: string): Promise<string> {
  const { output } = (await build({
    root: dirname(file),
    configFile: false,
    logLevel: "error",
    plugins: [viteSingleFile({ removeViteModuleLoader: true })],
    oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
    build: { write: false, rolldownOptions: { input: file }, target: "es2023", modulePreload: false },
  })) as Rolldown.RolldownOutput;
  const page = output.find(({ fileName }) => fileName.endsWith(".html"));
  if (page?.type !== "asset") throw new Error("The build of the page has no HTML.");
  return withScriptLast(String(page.source));
}

/** Moves the script from the head to the end: the browser paints the frame of the document before it reads the script. */
function withScriptLast(html: string): string {
  const [script = ""] = /<script type="module"[^>]*>[\s\S]*?<\/script>\n?/u.exec(html) ?? [];
  const body = html.replace(script, "");
  const end = body.lastIndexOf("</body>");
  return `${body.slice(0, end)}${script}${body.slice(end)}`;
}

/** Adds the content security policy, with the digests of what may run. */
function withPolicy(html: string): string {
  const policy = [
    "default-src 'none'",
    `script-src ${digestsOf(html, "script")}`,
    `style-src ${digestsOf(html, "style")}`,
    "img-src data:",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "trusted-types 'none'",
    "require-trusted-types-for 'script'",
  ].join("; ");
  return html.replace(
    '<meta charset="utf-8" />',
    () => `<meta charset="utf-8" />\n<meta http-equiv="Content-Security-Policy" content="${policy}" />`,
  );
}

function digestsOf(html: string, tag: "script" | "style"): string {
  const texts = Array.from(html.matchAll(new RegExp(`<${tag}\\b[^>]*>([\\s\\S]*?)</${tag}>`, "gu")), ([, text = ""]) => text);
  return texts.map((text) => `'sha256-${createHash("sha256").update(text).digest("base64")}'`).join(" ");
}
