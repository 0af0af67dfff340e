export { broughtAlong, external, ownDriver } from "./bring-along.ts";
export {
  asScripts,
  firstBundles,
  inFewFiles,
  lightBundle,
  quickToLoad,
  resolve,
  withoutPrograms,
  withoutWhitespace,
} from "./bundle-parts.ts";
export { ownApp, ownPage } from "./own-page.ts";
export { thirdParty } from "./third-party.ts";
