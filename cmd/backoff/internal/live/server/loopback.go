package server

import (
	"fmt"
	"net"
	"strconv"
)

// ParseLoopback returns the address that is the value of a flag: an IP address or localhost,
// and a port. It returns an error if that is not one of this machine's loopback addresses,
// because serve and load overload what they are used on.
func ParseLoopback(flag, address string) (*net.TCPAddr, error) {
	reject := func(want string) (*net.TCPAddr, error) {
		return nil, fmt.Errorf("--%s is %q, want %s", flag, address, want)
	}
	host, service, err := net.SplitHostPort(address)
	if err != nil {
		return reject("a loopback address and a port, such as 127.0.0.1:8070")
	}
	port, err := strconv.ParseUint(service, 10, 16)
	if err != nil {
		return reject("a port in [0, 65535]")
	}
	if host == "localhost" { // without a resolver
		host = "127.0.0.1"
	}
	ip := net.ParseIP(host)
	if ip == nil || !ip.IsLoopback() {
		return reject("a loopback address, 127.0.0.1 or [::1]: this overloads no other machine")
	}
	return &net.TCPAddr{IP: ip, Port: int(port)}, nil
}

const (
	DefaultAddress = "127.0.0.1:8070"
	DefaultStats   = "127.0.0.1:8071"
)
