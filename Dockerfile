# The image of the API, from the package `siteprint`: docker build -t siteprint .
FROM node:22-slim AS build
WORKDIR /app
# The packages come first, so that Docker fetches them again only when their list changes. `--ignore-scripts` skips the build,
# for which the sources are still missing.
COPY package.json package-lock.json ./
RUN npm ci --ignore-scripts
COPY tsconfig.json tsconfig.build.json LICENSE NOTICE README.md ./
COPY docs/engine.md ./docs/engine.md
COPY tools ./tools
COPY plugins ./plugins
COPY rules ./rules
COPY src ./src
# The versions of the packages are those of the lock file. The folder then has what ships, and nothing of the build.
RUN npm run -s build && npm prune --omit=dev --ignore-scripts \
  && npm pack --silent --ignore-scripts --pack-destination /tmp && mkdir /package \
  && tar -xzf /tmp/siteprint-*.tgz -C /package --strip-components=1 && mv node_modules /package/node_modules

FROM node:22-slim
ENV NODE_ENV=production HOST=0.0.0.0 PORT=3000 DATA_DIR=/data
WORKDIR /app
COPY --from=build /package ./
# A new volume takes its owner and mode from this folder.
RUN install -d -m 0700 -o node -g node /data
USER node
VOLUME /data
EXPOSE 3000
HEALTHCHECK --interval=10s --timeout=3s --start-period=30s --retries=3 \
  CMD ["node", "-e", "fetch('http://127.0.0.1:' + process.env.PORT + '/health/live').then((response) => process.exit(response.ok ? 0 : 1), () => process.exit(1))"]
# Node runs without npm, so that it receives the signals.
CMD ["node", "dist/src/main.js"]
