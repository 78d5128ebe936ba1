# Debian and Pushpit's package, as a user without rights. `make deb && docker build -t pushpit .`
FROM debian:12-slim

RUN --mount=type=bind,source=dist,target=/dist \
    apt-get update \
    && apt-get install --yes --no-install-recommends /dist/pushpit_*.deb \
    && apt-get clean \
    && rm -rf /var/lib/apt/lists/* \
    && useradd --system --uid 2197 --home-dir /var/lib/pushpit --shell /usr/sbin/nologin pushpit \
    && install --directory --owner pushpit --group pushpit /var/lib/pushpit

# Within a container, its own address is the only one that others reach. Publish ports on 127.0.0.1 alone: the admin API
# has no password.
ENV PUSHPIT_HOST=0.0.0.0 PUSHPIT_STATE=/var/lib/pushpit
USER pushpit
VOLUME /var/lib/pushpit
EXPOSE 2190 2195 2196 2197 2198
HEALTHCHECK --interval=5s --timeout=5s --start-period=10s CMD ["pushpit", "health"]
ENTRYPOINT ["pushpit"]
CMD ["serve"]
