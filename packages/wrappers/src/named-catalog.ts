import { type CatalogPort, mapped } from "@workrail/core";

/** Adds the subject of the caller's token to each row that changes write to the audit log. */
export function namedCatalog(catalog: CatalogPort, subject: string): CatalogPort {
  return {
    read: (reads) => catalog.read(reads),
    change: (change) =>
      catalog.change(mapped(change, (decision) => ({ ...decision, audit: decision.audit.map((event) => ({ ...event, subject })) }))),
  };
}
