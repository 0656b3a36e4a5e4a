//go:build peers

// Tests with the OpenTelemetry SDK and grpc-go as clients. They cost more to compile than all
// others here take, so that only scripts/test -full and CI build them.

package receive

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/pdata/ptrace/ptraceotlp"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracegrpc"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	"go.opentelemetry.io/otel/sdk/trace"
	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"

	rpc "google.golang.org/genproto/googleapis/rpc/status"
)

// What the SDK of OpenTelemetry exports arrives, by each protocol, with and without secrets.
func TestExporters(t *testing.T) {
	server, client := secrets(t)
	for _, secret := range []bool{false, true} {
		k := new(taken)
		var o Options
		if secret {
			o = Options{TLS: server, Token: "secret"}
		}
		overGRPC := []otlptracegrpc.Option{otlptracegrpc.WithEndpoint(k.start(t, "grpc", o)), otlptracegrpc.WithCompressor("gzip")}
		overHTTP := []otlptracehttp.Option{otlptracehttp.WithEndpoint(k.start(t, "http", o)), otlptracehttp.WithCompression(otlptracehttp.GzipCompression)}
		if secret {
			headers := map[string]string{"Authorization": "Bearer secret"}
			overGRPC = append(overGRPC, otlptracegrpc.WithTLSCredentials(credentials.NewTLS(client)), otlptracegrpc.WithHeaders(headers))
			overHTTP = append(overHTTP, otlptracehttp.WithTLSClientConfig(client), otlptracehttp.WithHeaders(headers))
		} else {
			overGRPC, overHTTP = append(overGRPC, otlptracegrpc.WithInsecure()), append(overHTTP, otlptracehttp.WithInsecure())
		}
		a, err := otlptracegrpc.New(t.Context(), overGRPC...)
		if err != nil {
			t.Fatal(err)
		}
		b, err := otlptracehttp.New(t.Context(), overHTTP...)
		if err != nil {
			t.Fatal(err)
		}
		for name, exporter := range map[string]trace.SpanExporter{"gRPC": a, "HTTP": b} {
			provider := trace.NewTracerProvider(trace.WithSyncer(exporter))
			for i := range 3 {
				_, span := provider.Tracer("test").Start(t.Context(), fmt.Sprint(name, i))
				span.End()
			}
			if err := provider.Shutdown(t.Context()); err != nil {
				t.Error(err)
			}
		}
		k.mu.Lock()
		got := fmt.Sprint(len(k.spans), strings.Count(fmt.Sprint(k.spans), "gRPC"))
		k.mu.Unlock()
		if got != "6 3" {
			t.Errorf("with secrets %v: %v", secret, k.spans)
		}
	}
}

// Over gRPC, too, the token is asked for, and what cannot be taken now is to be sent again.
func TestGRPC(t *testing.T) {
	k := new(taken)
	at := k.start(t, "grpc", Options{Token: "secret"})
	connection, err := grpc.NewClient(at, grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		t.Fatal(err)
	}
	defer connection.Close()
	client := ptraceotlp.NewGRPCClient(connection)
	for _, x := range []struct {
		token string
		busy  bool
		size  int
		want  codes.Code
	}{
		{"Bearer secret", false, 1, codes.OK}, {"Bearer wrong", false, 1, codes.Unauthenticated}, {"secret", false, 1, codes.Unauthenticated}, {"", false, 1, codes.Unauthenticated},
		{"Bearer secret", true, 1, codes.Unavailable}, {"Bearer secret", false, maxExportSize, codes.ResourceExhausted},
	} {
		k.mu.Lock()
		k.busy = x.busy
		k.mu.Unlock()
		all := ptrace.NewTraces()
		all.ResourceSpans().AppendEmpty().ScopeSpans().AppendEmpty().Spans().AppendEmpty().SetName(strings.Repeat("n", x.size))
		ctx := metadata.AppendToOutgoingContext(t.Context(), "authorization", x.token)
		if _, err := client.Export(ctx, ptraceotlp.NewExportRequestFromTraces(all)); status.Code(err) != x.want {
			t.Errorf("%q, busy %v, %d bytes: %v; want %v", x.token, x.busy, x.size, err, x.want)
		}
	}
	if len(k.spans) != 1 {
		t.Errorf("%d spans", len(k.spans))
	}
}

// What can be sent again has a RetryInfo, as clients of gRPC read it.
func TestRefusal(t *testing.T) {
	r := busy(errors.New("wait: 100 % of ü\n"))
	h := make(http.Header)
	r.trailers(h)
	if got := h.Get("Grpc-Message"); got != "wait:%20100%20%25%20of%20%C3%BC%0A" {
		t.Errorf("the message is %q", got)
	}
	var s rpc.Status
	if err := proto.Unmarshal(r.proto(), &s); err != nil {
		t.Fatal(err)
	}
	details := status.FromProto(&s).Details()
	if len(details) != 1 || s.GetMessage() != r.Message || codes.Code(s.GetCode()) != codes.Unavailable {
		t.Fatalf("%v", &s)
	}
	if info, ok := details[0].(*errdetails.RetryInfo); !ok || info.GetRetryDelay().AsDuration() != retryDelay {
		t.Errorf("%v", details)
	}
	if text, err := json.Marshal(r); err != nil || string(text) != `{"code":14,"message":"wait: 100 % of ü\n"}` {
		t.Errorf("in JSON it is %s", text)
	}
}
