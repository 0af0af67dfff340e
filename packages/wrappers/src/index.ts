export { checkChangeable, confinedCatalog, projectNotAllowed } from "./confined/confined-catalog.ts";
export { namedCatalog } from "./named-catalog.ts";
export { observedCatalog } from "./observed-catalog.ts";
export { readOnlyStorage, readOnlyStorageOf } from "./read-only/read-only-storage.ts";
export { sealedPartOf } from "./sealed/seal-record.ts";
export { sealBackupTarget, sealStorage } from "./sealed/seal-storage.ts";
export { convertStore } from "./sealed/convert-store.ts";
export type { Conversion, ConversionProgress, ConversionReport } from "./sealed/convert-store.ts";
