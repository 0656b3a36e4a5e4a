# The image of a release: the program alone, which goreleaser has built without cgo. Traces are
# mounted: docker run --rm -v "$PWD:/work" pota-project/pota detect FORMULA FILE
FROM scratch
COPY pota /pota
COPY LICENSE /LICENSE
USER 65534:65534
WORKDIR /work
ENTRYPOINT ["/pota"]
