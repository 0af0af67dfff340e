import { hash } from "node:crypto";
import type { FileBlobStore } from "@workrail/blob-files";
import { type Catalog, catalogOver, type CatalogRecovery } from "@workrail/core";
import type { FilesCatalog } from "./files-catalog.ts";

/** Offers the operations of a catalog over rows in files. */
export function filesCatalogOver(rows: FilesCatalog, blobs: FileBlobStore): Catalog & CatalogRecovery {
  return catalogOver(rows, { refOf: (key) => blobs.refOf(key), digest: (text) => hash("sha256", text, "hex") });
}
