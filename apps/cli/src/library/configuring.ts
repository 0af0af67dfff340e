// Re-exports the part of the library that configuring needs. An import of the whole library would load all of it.
export { configJsonSchema, parseSettingName, readConfiguration } from "@workrail/runtime";
