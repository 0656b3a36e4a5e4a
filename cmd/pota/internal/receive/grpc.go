package receive

import (
	"context"

	"go.opentelemetry.io/collector/pdata/ptrace/ptraceotlp"
	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials"
	_ "google.golang.org/grpc/encoding/gzip" // exporters use it
	"google.golang.org/grpc/keepalive"
	"google.golang.org/grpc/status"
	"google.golang.org/grpc/tap"
	"google.golang.org/protobuf/types/known/durationpb"
)

func (l *Listener) serveGRPC() error {
	options := []grpc.ServerOption{
		grpc.MaxRecvMsgSize(longestExport), grpc.MaxHeaderListSize(longestHeader), grpc.MaxConcurrentStreams(mostExports),
		grpc.ConnectionTimeout(timeToBegin), grpc.KeepaliveParams(keepalive.ServerParameters{Time: timeToGoOn, Timeout: timeToAnswer}),
		grpc.InTapHandle(l.admit),
	}
	if l.TLS != nil {
		options = append(options, grpc.Creds(credentials.NewTLS(l.TLS)))
	}
	server := grpc.NewServer(options...)
	ptraceotlp.RegisterGRPCServer(server, &exporter{Listener: l})
	stop := context.AfterFunc(l.ctx, func() {
		ended := make(chan struct{})
		go func() {
			server.GracefulStop()
			close(ended)
		}()
		ctx, cancel := context.WithTimeout(context.Background(), timeToEnd)
		defer cancel()
		select {
		case <-ended:
		case <-ctx.Done():
			server.Stop()
		}
	})
	defer stop()
	err := server.Serve(l.net)
	if l.ctx.Err() != nil {
		server.Stop() // waits until what was begun has ended
	}
	return err
}

// admit looks at a request before it is read: whether it has the token, and whether there is
// room for it, which it takes up until it has ended or timeToGoOn is over.
func (l *Listener) admit(ctx context.Context, info *tap.Info) (context.Context, error) {
	token, ok := "", false
	if all := info.Header.Get("authorization"); len(all) == 1 {
		token, ok = tokenOf(all[0])
	}
	if l.Token != "" && !(ok && l.trusted(token)) {
		return nil, status.Error(codes.Unauthenticated, "the header authorization must be Bearer and the token that is asked for")
	}
	select {
	case l.exports <- struct{}{}:
	default:
		return nil, later(errExports)
	}
	ctx, cancel := context.WithTimeout(ctx, timeToGoOn)
	context.AfterFunc(ctx, func() {
		cancel()
		<-l.exports
	})
	return ctx, nil
}

// later says that a request is to be sent again.
func later(err error) error {
	s, failed := status.New(codes.Unavailable, err.Error()).WithDetails(&errdetails.RetryInfo{RetryDelay: durationpb.New(comeAgain)})
	if failed != nil {
		panic("this cannot happen, because a code of an error has details: " + failed.Error())
	}
	return s.Err()
}

// An exporter is the service of OTLP for spans.
type exporter struct {
	ptraceotlp.UnimplementedGRPCServer
	*Listener
}

// Export implements ptraceotlp.GRPCServer.
func (e *exporter) Export(_ context.Context, request ptraceotlp.ExportRequest) (ptraceotlp.ExportResponse, error) {
	response, err := e.export(request)
	if err != nil {
		return response, later(err)
	}
	return response, nil
}
