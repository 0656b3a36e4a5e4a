package receive

import (
	"fmt"
	"net"
	"strings"
)

// An Address is the address and the protocol of a listener.
type Address struct {
	Scheme string // tcp, http or grpc
	At     string // host and port
}

// ParseAddress reads an address in the form that the package documentation describes.
func ParseAddress(text string) (Address, error) {
	scheme, at, ok := strings.Cut(text, "://")
	if !ok {
		scheme, at = "tcp", text
	}
	ports := map[string]string{"tcp": "", "http": "4318", "grpc": "4317"}
	usual, known := ports[scheme]
	switch {
	case scheme == "https":
		return Address{}, fmt.Errorf("TLS is not asked for by the address: write http://%s with --tls-cert, too", at)
	case !known:
		return Address{}, fmt.Errorf("an address begins with tcp://, http:// or grpc://, not with %q", scheme+"://")
	}
	if strings.Contains(at, "/") {
		return Address{}, fmt.Errorf("an address is a host and a port without a path, not %q", at)
	}
	host, port, err := net.SplitHostPort(at)
	if err != nil && usual != "" {
		whole := net.JoinHostPort(strings.Trim(at, "[]"), usual) // at has only a host
		host, port, err = net.SplitHostPort(whole)
	}
	if err != nil || host == "" || port == "" {
		return Address{}, fmt.Errorf("an address must have a host and a port, such as 127.0.0.1:7777, not %q", at)
	}
	if _, err := net.LookupPort("tcp", port); err != nil {
		return Address{}, fmt.Errorf("a port must be a number from 0 to 65535, not %q", port)
	}
	if host == "localhost" {
		host = "127.0.0.1"
	}
	return Address{scheme, net.JoinHostPort(host, port)}, nil
}

// String returns the address in the form that ParseAddress reads.
func (a Address) String() string { return a.Scheme + "://" + a.At }

// Permits refuses an address that other machines can reach, unless there are TLS and a token.
func (a Address) Permits(o Options) error {
	host, _, err := net.SplitHostPort(a.At)
	if ip := net.ParseIP(host); err == nil && ip.IsLoopback() || o.TLS != nil && o.Token != "" {
		return nil
	}
	return fmt.Errorf("%s is not a loopback address: TLS and a token are required", a)
}
