# The MCP server in a container. What runs in it is the package from npm, so that both are the same program.
# How it is built and used: docs/how-to/run-in-a-container.md
FROM node:24-slim

ARG VERSION=0.0.0
# Nothing is compiled and no script is run: the package brings all that it needs.
RUN npm install --global --ignore-scripts --no-audit --no-fund "@workrail/mcp-server@${VERSION}" && npm cache clean --force

# Owner-only, as the server makes its directory elsewhere. One that is mounted in its place keeps the owner that it has.
RUN install --directory --owner=node --group=node --mode=0700 /data
ENV WORKRAIL_DATA_DIR=/data
VOLUME /data

USER node
# No project's directory: which project is meant is said by --workdir, or WORKRAIL_PROJECT.
WORKDIR /
ENTRYPOINT ["workrail-mcp"]
