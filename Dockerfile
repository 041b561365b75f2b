# The API, built and stripped of what only development needs. `docker build -t siteprint .`
FROM node:22-slim AS build
WORKDIR /app
# First the packages alone: they are fetched again only when their list changes. Building, which `npm ci` does otherwise, comes after.
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
# The rules stand beside the build: a start compares both.
COPY --from=build /app/rules ./rules
COPY --from=build /app/dist ./dist
# A new volume takes over owner and mode of the folder.
RUN install -d -m 0700 -o node -g node /data
USER node
VOLUME /data
EXPOSE 3000
HEALTHCHECK --interval=10s --timeout=3s --start-period=30s --retries=3 \
  CMD ["node", "-e", "fetch('http://127.0.0.1:' + process.env.PORT + '/health/live').then((answer) => process.exit(answer.ok ? 0 : 1), () => process.exit(1))"]
# Node itself, not npm: it gets the signals.
CMD ["node", "dist/src/main.js"]
