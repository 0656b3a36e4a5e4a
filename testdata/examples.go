// Package testdata has the files that the commands in README.md and the guides read, so that the
// program can write them where there is no checkout of the repository. Where traces come from, and
// their licenses, is in the README.md beside each.
package testdata

import "embed"

// Examples has the files, by their paths below this folder.
//
//go:embed lock.jsonl lease.jsonl lock.order lock.properties figure1.jsonl figure1.properties
//go:embed conform orders.jsonl orders.properties recipes.jsonl models/*.pml models/*.properties
//go:embed refused/unknown-key.jsonl refused/cycle.jsonl
//go:embed traces/*/README.md traces/homemade traces/slog traces/raft-log traces/zookeeper
//go:embed traces/otlp/hotrod-4dispatch.otlp.jsonl.gz traces/jaeger traces/otel-go traces/zipkin
//go:embed traces/shiviz/RpcClientServer.log traces/shiviz/facebook-multiple.log
//go:embed traces/shiviz/ewd998.log.gz traces/mermaid traces/pgo-locksvc/traces_found
//go:embed traces/gotrace/*.gz traces/etcd-raft traces/hashicorp-raft/election
//go:embed traces/bench/rand-10-1000-1.jsonl.gz
var Examples embed.FS
