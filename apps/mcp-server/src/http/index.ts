export { httpSettingsOf } from "./http-settings.ts";
export { maxBodyBytesOf, serveHttp } from "./serve-http.ts";
