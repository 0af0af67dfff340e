import type { ZodType } from "zod";
import { ABOUT_CONTEXTS } from "./about-contexts.ts";
import { ABOUT_HOSTS } from "./about-hosts.ts";
import { ABOUT_STORES } from "./about-stores.ts";

/**
 * Schema of each command's output with `--json`, by the command's full name. Source of the tables in `docs/reference/cli.md`, and checked
 * by the golden tests; the program itself does not load it.
 */
export const ANSWERS: Readonly<Record<string, ZodType>> = { ...ABOUT_CONTEXTS, ...ABOUT_STORES, ...ABOUT_HOSTS };
