# syntax=docker/dockerfile:1
#
# Build:  docker build -t grove .
# Run:    docker run --read-only -v grove-data:/data --network host grove
#         docker run --read-only -v grove-data:/data -v ./machines:/machines:ro --network host \
#             grove serve --machines /machines
#
# The server listens on the loopback interface, until TLS and accounts are set up
# (docs/operating/security.md). Till then clients must share its network (`--network host`, or
# `--network container:…` for a neighboring container). In a network that nobody else can reach, use
# `serve --listen 0.0.0.0:7400 --insecure-plaintext`.
#
# The first token is made before the server starts. Commands about a data file don't read GROVE_DATA,
# which is the server's, so name the file:
#         umask 077
#         docker run --rm -v grove-data:/data grove token create --data /data/grove.db \
#             --principal ops --grant 'admin */*' > ops.token

FROM swift:6.3.1-bookworm AS build
# The same libraries as in .ci/run.
RUN apt-get update -qq \
    && apt-get install -y -qq --no-install-recommends \
        libcurl4-openssl-dev libsqlite3-dev libssl-dev zlib1g-dev \
    && rm -rf /var/lib/apt/lists/*
WORKDIR /grove
# Dependencies first: this layer is built again only when they change.
COPY Package.swift ./
# Exactly the versions of packages that Package.swift names, as in .ci/release.
ENV GROVE_RELEASE=1
RUN swift package resolve
# The console in the sources has a link to the client for JavaScript.
COPY JavaScript JavaScript
COPY Sources Sources
COPY Tests Tests
RUN swift build -c release --product grove --static-swift-stdlib \
        -debug-info-format none -Xlinker -s \
    && install -D -m 0755 "$(swift build -c release --show-bin-path)/grove" /out/grove

FROM debian:bookworm-slim
# The run-time libraries for those of the build stage, and the certificates for https requests.
RUN apt-get update -qq \
    && apt-get install -y -qq --no-install-recommends \
        ca-certificates libcurl4 libsqlite3-0 libssl3 zlib1g \
    && rm -rf /var/lib/apt/lists/* \
    && install -d -o 10001 -g 10001 -m 0700 /data
COPY --from=build /out/grove /usr/bin/grove
# Every key of the configuration can be a variable; GROVE_CONFIG names a configuration file.
ENV GROVE_DATA=/data/grove.db
# A report of a crash would show bytes of memory.
ENV SWIFT_BACKTRACE=enable=no
USER 10001:10001
VOLUME /data
EXPOSE 7400 7443
STOPSIGNAL SIGTERM
# With TLS only, it needs -e GROVE_SERVER=tls:HOST:PORT and -e GROVE_SERVER_CA=FILE.
HEALTHCHECK --interval=10s --timeout=5s --start-period=5s --retries=3 \
    CMD ["/usr/bin/grove", "health"]
ENTRYPOINT ["/usr/bin/grove"]
CMD ["serve"]
