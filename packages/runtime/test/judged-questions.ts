/** A checkpoint to find, with a text as an agent writes it. Without `project` it belongs to the own project. */
export interface JudgedNote {
  readonly id: string;
  readonly text: string;
  readonly project?: "other";
}

export const JUDGED_ABOUT = ["whole before beginnings", "rare before frequent", "synonyms", "inflections", "own project"] as const;

/** A query and its relevant notes: `best` rank first, in any order, then `good`. No other note is relevant. */
export interface JudgedQuestion {
  readonly about: (typeof JUDGED_ABOUT)[number];
  readonly query: string;
  readonly best: readonly string[];
  readonly good?: readonly string[];
}

export const JUDGED_NOTES: readonly JudgedNote[] = [
  // English
  { id: "auth-header", text: "The auth header is missing on requests behind the proxy. Forward it in nginx." },
  {
    id: "auth-cookie",
    text: "Moved auth from the cookie to a bearer token; the old clients need one more release before we drop them from the gateway.",
  },
  {
    id: "authentication",
    text: "Authentication fails after the upgrade. Authentication with LDAP works, authentication with SAML does not.",
  },
  { id: "authenticator", text: "Wrote an authenticator for hardware keys." },
  {
    id: "config-key",
    text: "The config has a key nobody reads. Removed it, and asked the team that deploys on Fridays whether anything of theirs depends on it.",
  },
  { id: "configuration", text: "Configuration is loaded twice: configuration of the user, then configuration of the folder." },
  { id: "env-file", text: "Read the env file before the flags." },
  { id: "environment", text: "The staging environment is rebuilt each night; each environment has its own bucket." },
  { id: "doc-page", text: "One doc page still describes the old flag." },
  { id: "documentation", text: "Documentation is built by a script; the documentation of the API is generated." },
  { id: "repl", text: "The repl keeps its history in the home folder." },
  { id: "replication", text: "Replication lags by two minutes; replication slots fill the disk." },
  { id: "sync-job", text: "The sync job runs hourly, and retries what failed." },
  { id: "synchronizer", text: "Synchronization of calendars: synchronizing a calendar twice makes events twice." },
  { id: "param", text: "Each param is checked before the query is built." },
  { id: "parameters", text: "Parameters of the model: learning rate, parameters of the optimizer, dropout." },
  {
    id: "migration-lock",
    text: "The database migration waits for a lock. Test the migration on a copy of the database, then run the test again.",
  },
  {
    id: "failing-test",
    text: "Fix the failing test. The test fails in the build, and the build fails in the test. Fix the build, then fix the test, then run the build again.",
  },
  {
    id: "update-test",
    text: "Update the test of the update. The build has an error in the test of the module. Run the test, fix the build, update the module.",
  },
  {
    id: "build-cache",
    text: "The build is slow; the cache of the build is never used. Run the build with the cache, and test the module again.",
  },
  {
    id: "module-test",
    text: "Test the module, fix the module, run the test of the module in the build. The module fails when the test of the build runs.",
  },
  { id: "deploy-test", text: "Run the test, fix the build, deploy. Run the test of the deploy, fix the deploy, update the build." },
  {
    id: "zanzibar",
    text:
      "Notes of the meeting on permissions. We looked at several systems that keep relations between people and things, talked about how they answer quickly when the graph is deep, " +
      "who would run them, what they cost, how they are backed up and restored, and how a mistake would be noticed. Most of us would take zanzibar as the model. " +
      "We meet again on Thursday with the people from operations, who want numbers on latency, memory and the size of the tuples before anything is decided.",
  },
  {
    id: "quokka",
    text:
      "A list of what is left for the release, by owner. The names of the servers were changed: the old scheme had planets, the new one has animals, and quokka is the one that sends mail. " +
      "Nobody has moved the certificates yet. The firewall has two rules too many. The dashboards show the old names until the exporter restarts, which it does at midnight. " +
      "Customers do not see any of this, and the status page need not say so.",
  },
  {
    id: "e4711",
    text: "The printer answered E4711 and then nothing for an hour, whatever was sent; after it was switched off and on it went on where it had stopped, with the page that it had swallowed.",
  },
  { id: "login", text: "The login form loses what was typed when the session has ended." },
  { id: "signin", text: "Sign-in with a passkey: the second sign-in asks for a PIN." },
  { id: "bug", text: "A bug in the date picker: February has thirty days." },
  { id: "defect", text: "Reported the defect to the vendor of the scanner, with photographs." },
  { id: "repo", text: "Cloned the repo into a folder with a space in its name." },
  { id: "repository", text: "The repository has two default branches since the import." },
  { id: "directory", text: "The directory for uploads is not writable." },
  { id: "folder", text: "Each customer has a folder of invoices." },
  { id: "remove-user", text: "Remove a user for good, with all invoices." },
  { id: "delete-row", text: "Delete rows in batches, so that nobody waits." },
  { id: "k8s", text: "k8s evicts the pod when memory runs out." },
  { id: "kubernetes", text: "Kubernetes nodes are patched on Mondays." },
  { id: "postgres", text: "Postgres vacuums at the worst time of day." },
  { id: "perf", text: "Perf of the importer: 40 rows a second." },
  { id: "performance", text: "Performance of the search page is good enough." },
  { id: "dependency", text: "One dependency pulls in three copies of a parser." },
  { id: "weather", text: "Rain gauge readings are interpolated by kriging." },
  { id: "recipe", text: "Let the dough rest overnight in the cold." },
  { id: "former", text: "The former owner of the domain still gets mail." },
  { id: "formula", text: "The formula in the spreadsheet rounds twice." },
  { id: "station", text: "The station at the coast reports wind every minute." },
  // German
  { id: "de-verbindung", text: "Die Verbindung zum Datenbankserver bricht nach zehn Minuten ab." },
  { id: "de-verbindungen", text: "Zu viele offene Verbindungen, der Pool ist erschöpft." },
  { id: "de-benutzer", text: "Den Benutzern fehlt das Recht, Rechnungen zu sehen." },
  { id: "de-kunde", text: "Der Kunde zahlt erst nach der dritten Mahnung." },
  { id: "de-vertraege", text: "Die Verträge laufen im März aus." },
  { id: "de-schluessel", text: "Mit den alten Schlüsseln lässt sich nichts mehr öffnen." },
  { id: "de-pruefung", text: "Die Prüfungen der Eingaben stehen noch aus." },
  { id: "de-gross", text: "Eine große Tabelle wird nachts kopiert." },
  { id: "de-server", text: "Der neue Rechner steht im Keller." },
  // French
  { id: "fr-utilisateur", text: "L'utilisateur ne peut pas changer son mot de passe." },
  { id: "fr-utilisatrices", text: "Les utilisatrices demandent un mode sombre." },
  { id: "fr-journaux", text: "Les journaux remplissent le disque chaque nuit." },
  { id: "fr-connexion", text: "Les connexions sont fermées trop tôt par le pare-feu." },
  { id: "fr-locale", text: "Les variables locales masquent celles du module." },
  { id: "fr-requete", text: "Les requêtes lentes viennent du rapport mensuel." },
  { id: "fr-actif", text: "Une session active empêche la mise à jour." },
  // Spanish
  { id: "es-conexion", text: "Las conexiones con el servidor se cierran solas." },
  { id: "es-usuario", text: "La usuaria no recibe el correo de confirmación." },
  { id: "es-contrasenas", text: "Las contraseñas caducan cada noventa días." },
  { id: "es-pedido", text: "Los pedidos rechazados vuelven a la cola." },
  { id: "es-archivo", text: "El archivo adjunto pesa demasiado." },
  { id: "es-luz", text: "Las luces del panel parpadean al arrancar." },
  // Two projects
  {
    id: "turbine-own",
    text: "The turbine hall needs a second exit. Notes on the order of work, on whom to ask for a permit, on noise at night, and on the road that is too narrow.",
  },
  { id: "turbine-other", text: "Turbine blades: turbine speed, turbine pitch.", project: "other" },
  { id: "granite-own", text: "Granite is quoted by the tonne." },
  { id: "granite-other", text: "Granite is quoted by the tonne.", project: "other" },
  {
    id: "sextant-other",
    text: "The sextant module keeps its almanac in a table, and needs the test of the build to run.",
    project: "other",
  },
  { id: "lantern-own", text: "Lantern oil." },
  { id: "lantern-other", text: "Lantern wick.", project: "other" },
];

export const JUDGED_QUESTIONS: readonly JudgedQuestion[] = [
  { about: "whole before beginnings", query: "auth", best: ["auth-header", "auth-cookie"], good: ["authentication", "authenticator"] },
  { about: "whole before beginnings", query: "config", best: ["config-key"], good: ["configuration"] },
  { about: "whole before beginnings", query: "env", best: ["env-file"], good: ["environment"] },
  { about: "whole before beginnings", query: "doc", best: ["doc-page"], good: ["documentation"] },
  { about: "whole before beginnings", query: "repl", best: ["repl"], good: ["replication"] },
  { about: "whole before beginnings", query: "sync", best: ["sync-job"], good: ["synchronizer"] },
  { about: "whole before beginnings", query: "param", best: ["param"], good: ["parameters"] },
  {
    about: "whole before beginnings",
    query: "the auth of SAML",
    best: ["authentication"],
    good: ["auth-header", "auth-cookie", "authenticator"],
  },
  { about: "whole before beginnings", query: "perf", best: ["perf"], good: ["performance"] },
  { about: "whole before beginnings", query: "config folder", best: ["configuration"], good: ["config-key", "folder", "repo", "repl"] },
  { about: "rare before frequent", query: "fix the failing test of the zanzibar build", best: ["zanzibar"] },
  { about: "rare before frequent", query: "run the test build quokka", best: ["quokka"] },
  { about: "rare before frequent", query: "test module E4711", best: ["e4711"] },
  { about: "rare before frequent", query: "update the module and test the build with zanzibar", best: ["zanzibar"] },
  { about: "rare before frequent", query: "sextant test build", best: ["sextant-other"] },
  { about: "rare before frequent", query: "quokka module", best: ["quokka"] },
  { about: "synonyms", query: "login", best: ["login"], good: ["signin", "authentication", "authenticator", "auth-header", "auth-cookie"] },
  {
    about: "synonyms",
    query: "sign-in",
    best: ["signin"],
    good: ["login", "authentication", "authenticator", "auth-header", "auth-cookie"],
  },
  { about: "synonyms", query: "defect", best: ["defect"], good: ["bug"] },
  { about: "synonyms", query: "bug", best: ["bug"], good: ["defect"] },
  { about: "synonyms", query: "repo", best: ["repo"], good: ["repository"] },
  { about: "synonyms", query: "repository", best: ["repository"], good: ["repo"] },
  { about: "synonyms", query: "folder for uploads", best: ["directory"], good: ["folder", "configuration", "repo", "repl"] },
  { about: "synonyms", query: "delete user", best: ["remove-user"], good: ["delete-row", "configuration"] },
  { about: "synonyms", query: "kubernetes", best: ["kubernetes"], good: ["k8s"] },
  { about: "synonyms", query: "k8s memory", best: ["k8s"], good: ["kubernetes", "zanzibar"] },
  { about: "synonyms", query: "postgresql", best: ["postgres"] },
  { about: "inflections", query: "Verbindung", best: ["de-verbindung", "de-verbindungen"] },
  { about: "inflections", query: "Verbindungen", best: ["de-verbindungen", "de-verbindung"] },
  { about: "inflections", query: "Benutzer", best: ["de-benutzer"] },
  { about: "inflections", query: "Kunden", best: ["de-kunde"] },
  { about: "inflections", query: "Vertrag", best: ["de-vertraege"] },
  { about: "inflections", query: "Schlüssel", best: ["de-schluessel"] },
  { about: "inflections", query: "Prüfung der Eingabe", best: ["de-pruefung"] },
  { about: "inflections", query: "großen Tabellen", best: ["de-gross"] },
  { about: "inflections", query: "utilisateurs", best: ["fr-utilisateur"], good: ["fr-utilisatrices"] },
  { about: "inflections", query: "utilisatrice", best: ["fr-utilisatrices"], good: ["fr-utilisateur"] },
  { about: "inflections", query: "journal", best: ["fr-journaux"] },
  { about: "inflections", query: "connexion fermée", best: ["fr-connexion"] },
  { about: "inflections", query: "variable locale", best: ["fr-locale"] },
  { about: "inflections", query: "requête lente", best: ["fr-requete"] },
  { about: "inflections", query: "sessions actives", best: ["fr-actif"], good: ["login"] },
  { about: "inflections", query: "conexión", best: ["es-conexion"] },
  { about: "inflections", query: "usuarios", best: ["es-usuario"] },
  { about: "inflections", query: "contraseña", best: ["es-contrasenas"] },
  { about: "inflections", query: "pedido rechazado", best: ["es-pedido"] },
  { about: "inflections", query: "archivos adjuntos", best: ["es-archivo"] },
  { about: "inflections", query: "luz", best: ["es-luz"] },
  { about: "own project", query: "turbine", best: ["turbine-other"], good: ["turbine-own"] },
  { about: "own project", query: "granite", best: ["granite-own"], good: ["granite-other"] },
  { about: "own project", query: "lantern", best: ["lantern-own"], good: ["lantern-other"] },
  { about: "own project", query: "sextant module", best: ["sextant-other"] },
];
