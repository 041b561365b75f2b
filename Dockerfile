# The image of the API, without development dependencies: docker build -t siteprint .
FROM node:22-slim AS build
WORKDIR /app
# The packages come first, so that Docker fetches them again only when their list changes. `--ignore-scripts` skips the build,
# for which the sources are still missing.
COPY package.json package-lock.json ./
RUN npm ci --ignore-scripts
COPY tsconfig.json tsconfig.build.json ./
COPY tools ./tools
COPY plugins ./plugins
COPY rules ./rules
COPY src ./src
RUN npm run -s build && npm prune --omit=dev --ignore-scripts

FROM node:22-slim
ENV NODE_ENV=production HOST=0.0.0.0 PORT=3000 DATA_DIR=/data
WORKDIR /app
COPY --from=build /app/package.json ./
COPY --from=build /app/node_modules ./node_modules
# The service compares the rules with the build when it starts.
COPY --from=build /app/rules ./rules
COPY --from=build /app/dist ./dist
# A new volume takes its owner and mode from this folder.
RUN install -d -m 0700 -o node -g node /data
USER node
VOLUME /data
EXPOSE 3000
HEALTHCHECK --interval=10s --timeout=3s --start-period=30s --retries=3 \
  CMD ["node", "-e", "fetch('http://127.0.0.1:' + process.env.PORT + '/health/live').then((response) => process.exit(response.ok ? 0 : 1), () => process.exit(1))"]
# Node runs without npm, so that it receives the signals.
CMD ["node", "dist/src/main.js"]
