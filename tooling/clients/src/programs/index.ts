import type { ClientProgram } from "../client-program.ts";
import { aiSdk } from "./ai-sdk.ts";
import { inspector } from "./inspector.ts";
import { langchain } from "./langchain.ts";
import { mcporter } from "./mcporter.ts";
import { sdkClients } from "./sdk.ts";

/** All clients that the table has. */
export const CLIENT_PROGRAMS: readonly ClientProgram[] = [...sdkClients, inspector, mcporter, aiSdk, langchain];
