# stsh in a container, as a store that others attach to:
#   docker build --tag stsh . && docker run --detach --name store --volume store:/data stsh
#   docker exec --interactive --tty store stsh --attach /data/door
ARG SWIFT=6.3
FROM swift:${SWIFT}-bookworm AS build
# As in scripts/setup; the image has the rest.
RUN apt-get update \
  && apt-get install --yes --no-install-recommends liblua5.4-dev libreadline-dev libsqlite3-dev \
  && rm -rf /var/lib/apt/lists/*
WORKDIR /src
COPY . .
RUN swift build --traits Shell --configuration release --static-swift-stdlib --product stsh \
  && DESTDIR=/installed scripts/install --prefix /usr/local --program .build/release/stsh

# The program brings all that it needs but libc, which the image has.
FROM debian:bookworm-slim
COPY --from=build /installed /
ENV LANG=C.UTF-8 XDG_STATE_HOME=/data/state
WORKDIR /data
VOLUME /data
ENTRYPOINT ["stsh"]
CMD ["serve", "--store", "/data/store.db", "--listen", "/data/door"]
