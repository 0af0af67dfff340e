export { SETUP_HOSTS } from "./setup-hosts.ts";
export type { SetupHost } from "./setup-hosts.ts";
