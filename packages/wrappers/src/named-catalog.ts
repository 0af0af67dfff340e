import { type CatalogPort, mapped } from "@workrail/core";

/** Names who proved to be the caller in each row that changes add to the audit log. */
export function namedCatalog(catalog: CatalogPort, subject: string): CatalogPort {
  return {
    read: (reads) => catalog.read(reads),
    change: (change) =>
      catalog.change(mapped(change, (decision) => ({ ...decision, audit: decision.audit.map((event) => ({ ...event, subject })) }))),
  };
}
