import { config } from "zod";

// Imported first: the library of the protocol tries by this whether it may compile its checks, which the page's policy forbids.
config({ jitless: true });
