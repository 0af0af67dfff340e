-- Users of a team's database, for psql 15 or newer: `workrail_owner` makes the tables, `workrail` does everything else.
-- Row-level security limits both to one tenant: neither is a superuser, nor has BYPASSRLS.
\set ON_ERROR_STOP on
\getenv owner_password WORKRAIL_OWNER_PASSWORD
\getenv password WORKRAIL_DB_PASSWORD
create user workrail_owner password :'owner_password';
create user workrail password :'password';
-- An administrator who is no superuser must be a member to act for the owner.
grant workrail_owner to current_user;
alter database :"DBNAME" owner to workrail_owner;
alter default privileges for role workrail_owner grant usage on schemas to workrail;
alter default privileges for role workrail_owner grant select, insert, update, delete on tables to workrail;
