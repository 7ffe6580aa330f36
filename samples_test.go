package backoff_test

import (
	"strings"
	"testing"

	"example.com/backoff/internal/samples"
)

// The golden file and the benchmark show nothing of a sample but its text, so the text
// has to name the function that the sample calls.
func TestSamplesSayWhatTheyAre(t *testing.T) {
	seen := map[string]bool{}
	for _, s := range samples.All() {
		if name, _, _ := strings.Cut(s.Text, "("); name != s.Name() {
			t.Errorf("the text %s names another function than the sample calls, %s", s.Text, s.Name())
		}
		if seen[s.Text] {
			t.Errorf("%s is there twice", s.Text)
		}
		seen[s.Text] = true
	}
}

// BenchmarkSamples times a delay of every sample through an opaque iter.Seq, without
// a seed. BenchmarkLinear and those like it compare with a loop written by hand.
func BenchmarkSamples(b *testing.B) {
	for _, s := range samples.All() {
		b.Run(s.Text, func(b *testing.B) {
			seq := s.Delays()
			delays := 0
			for b.Loop() {
				n := 0
				for range seq {
					if n++; n == 1000 {
						break
					}
				}
				delays += n
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(delays), "ns/delay")
			b.ReportMetric(0, "ns/op") // of as many delays as the sample has
		})
	}
}
