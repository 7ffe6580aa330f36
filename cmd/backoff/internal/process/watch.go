package process

import (
	"context"
	"os"
	"os/signal"
	"sync"
)

// A signalError says which signal ended retrying.
type signalError struct{ signal os.Signal }

func (e signalError) Error() string { return SignalName(e.signal) }

// A subscription is to signals.
type subscription struct{ c chan os.Signal }

func subscribe(signals ...os.Signal) subscription {
	s := subscription{make(chan os.Signal, 16)}
	s.add(signals...)
	return s
}

// add leaves out signals that were ignored from the start, because nohup and the
// background jobs of a shell rely on that.
func (s subscription) add(signals ...os.Signal) {
	for _, sig := range signals {
		if !signal.Ignored(sig) {
			signal.Notify(s.c, sig)
		}
	}
}

func (s subscription) stop() { signal.Stop(s.c) }

// A Relay passes signals on to the process that runs. The first of EndingSignals ends
// retrying.
type Relay struct {
	signals   subscription
	children  subscription // to the ends of children
	stopper   *stopper     // of pass
	interrupt context.CancelCauseFunc
	done      chan struct{} // closed when pass has returned

	mu      sync.Mutex
	running *Process
	caught  os.Signal // the first of EndingSignals
}

// NewRelay begins to pass signals on. It calls interrupt at the first of EndingSignals.
func NewRelay(interrupt context.CancelCauseFunc) *Relay {
	w := &Relay{
		signals: subscribe(EndingSignals...), children: subscribe(childSignals...),
		interrupt: interrupt, done: make(chan struct{}),
	}
	w.signals.add(otherSignals...)
	ready := make(chan struct{})
	go w.pass(ready)
	<-ready // for jobSignals, which stop backoff themselves until it catches them
	w.signals.add(jobSignals...)
	return w
}

// Close stops it.
func (w *Relay) Close() {
	w.children.stop()
	w.signals.stop()
	close(w.signals.c) // after Stop nothing is sent
	<-w.done
}

func (w *Relay) pass(ready chan<- struct{}) {
	defer close(w.done)
	w.stopper = newStopper(w)
	close(ready)
	for {
		select {
		case sig, ok := <-w.signals.c:
			if !ok {
				return
			}
			w.mu.Lock()
			w.handle(sig)
			w.mu.Unlock()
		case <-w.children.c:
			w.mu.Lock()
			if w.running == nil { // otherwise its Wait does this
				reap()
			}
			w.mu.Unlock()
		case <-w.stopper.due:
			w.mu.Lock()
			w.stopper.act()
			w.mu.Unlock()
		}
	}
}

// handle is called for each signal. The caller holds the lock.
func (w *Relay) handle(sig os.Signal) {
	switch {
	case w.handleJob(sig):
	case isOne(sig, otherSignals):
		w.signal(sig)
	default:
		w.catch(sig)
		w.signal(sig)
	}
}

func (w *Relay) signal(sig os.Signal) {
	if w.running != nil {
		w.running.signal(sig)
	}
}

// catch ends retrying because of a signal. The caller holds the lock.
func (w *Relay) catch(sig os.Signal) {
	if w.caught == nil {
		w.caught = sig
		w.interrupt(signalError{sig})
	}
}

// Start starts a process, unless a signal has ended retrying. A signal that comes meanwhile
// is passed on to the process.
func (w *Relay) Start(start func() (*Process, error)) (*Process, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.caught != nil {
		return nil, signalError{w.caught}
	}
	p, err := start()
	if err == nil {
		w.running = p
	}
	return p, err
}

// Exited is called when the process has ended.
func (w *Relay) Exited(p *Process, e Exit) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.running = nil
	reap()
	if sig := p.interrupted(e); sig != nil {
		w.catch(sig)
	}
}

// Caught returns the signal that ended retrying, or nil.
func (w *Relay) Caught() os.Signal {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.caught
}

func isOne(sig os.Signal, of []os.Signal) bool {
	for _, s := range of {
		if s == sig {
			return true
		}
	}
	return false
}
