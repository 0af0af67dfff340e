import type { ZodType } from "zod";
import { ABOUT_CONTEXTS } from "./about-contexts.ts";
import { ABOUT_HOSTS } from "./about-hosts.ts";
import { ABOUT_STORES } from "./about-stores.ts";

/**
 * What every command prints with `--json`, by its whole name. `docs/reference/cli.md` has its tables from here, and the golden tests hold
 * the commands to it; the program itself does not load it.
 */
export const ANSWERS: Readonly<Record<string, ZodType>> = { ...ABOUT_CONTEXTS, ...ABOUT_STORES, ...ABOUT_HOSTS };
