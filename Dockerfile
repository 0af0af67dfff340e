# The MCP server in a container: the package from npm.
# To build and use it: docs/how-to/run-in-a-container.md
FROM node:24-slim

ARG VERSION=0.0.0
# Nothing is compiled and no script is run: the package brings all that it needs.
RUN npm install --global --ignore-scripts --no-audit --no-fund "@workrail/mcp-server@${VERSION}" && npm cache clean --force

# Only its owner can read it, as with directories that the server makes. A mounted directory keeps its own owner.
RUN install --directory --owner=node --group=node --mode=0700 /data
ENV WORKRAIL_DATA_DIR=/data
VOLUME /data

USER node
# Not a project: --workdir or WORKRAIL_PROJECT names the project.
WORKDIR /
ENTRYPOINT ["workrail-mcp"]
