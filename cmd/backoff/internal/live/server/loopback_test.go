package server

import (
	"testing"
)

// No address but this machine's own is valid.
func TestLoopback(t *testing.T) {
	for address, want := range map[string]string{
		"127.0.0.1:8070": "127.0.0.1:8070",
		"127.1.2.3:0":    "127.1.2.3:0",
		"localhost:80":   "127.0.0.1:80",
		"[::1]:8070":     "[::1]:8070",
	} {
		if got, err := ParseLoopback("address", address); err != nil || got.String() != want {
			t.Errorf("%q is %v, error %v; want %v", address, got, err, want)
		}
	}
	for _, address := range []string{
		"8.8.8.8:80", "0.0.0.0:80", "[::]:80", ":80", "192.168.1.1:80", "169.254.169.254:80", "[2001:db8::1]:80",
		"example.com:80", "localhost.example.com:80", "127.0.0.1", "127.0.0.1:http", "127.0.0.1:65536", "127.0.0.1:-1",
		"[::ffff:8.8.8.8]:80", "",
	} {
		if got, err := ParseLoopback("address", address); err == nil {
			t.Errorf("%q is %v, want an error", address, got)
		}
	}
}
