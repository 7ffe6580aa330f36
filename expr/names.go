package expr

import "strings"

// suggestion returns the hint about an unknown name: the stage that is probably meant, or
// all that could stand there.
func suggestion(name string, first bool) string {
	if known := letters(name); known == "map" || known == "func" {
		return "which takes a Go function, and no text can give that"
	}
	if best := nearest(name, first); best != "" {
		return "did you mean " + best + "?" + countsRetries(name, best)
	}
	switch best := nearest(name, !first); {
	case best != "" && first:
		return "did you mean " + best + "? That follows a schedule"
	case best != "":
		return "did you mean then(" + best + "(...))?"
	}
	var names []string
	for _, s := range stages {
		if s.Starts == first {
			names = append(names, s.Name)
		}
	}
	return "want one of " + strings.Join(names, ", ")
}

// countsRetries returns an addition to the suggestion of take, if name counts attempts.
func countsRetries(name, best string) string {
	name = letters(name)
	if best == "take" && (strings.Contains(name, "attempt") || strings.HasSuffix(name, "tries") && !strings.HasSuffix(name, "retries")) {
		return " It counts retries, one less than attempts"
	}
	return ""
}

// nearest returns the name of the stage that an unknown name misspells or is a synonym of,
// and the empty text if there is none. It searches the generators or the other stages.
func nearest(name string, starts bool) (best string) {
	name = letters(name)
	least := 1 + len(name)/3 // a misspelling has fewer wrong letters than that
	for _, s := range stages {
		if s.Starts != starts {
			continue
		}
		if synonyms[name] == s.Name {
			return s.Name
		}
		known := []string{s.Name, s.Func}
		if word, _, several := strings.Cut(s.Name, "-"); several && len(word) > len("full") {
			known = append(known, word)
		}
		for _, known := range known {
			if d := difference(name, letters(known)); known != "" && d < least {
				best, least = s.Name, d
			}
		}
	}
	return best
}

// synonyms are other words for a stage, used by people and by other libraries.
var synonyms = synonymsOf(map[string]string{
	"constant":      "fixed wait sleep delay every interval",
	"linear":        "incremental arithmetic",
	"exponential":   "geometric exponentialbackoff doubling",
	"polynomial":    "power quadratic",
	"uniform":       "random rand",
	"normal-jitter": "gaussian",
	"list":          "delays sequence steps none never",

	"take":   "retries maxretries attempts maxattempts tries maxtries times repeat first head count stopafter stopafterattempt",
	"drop":   "skip tail",
	"cap":    "limit clamp ceiling atmost maxdelay maxinterval maxwait maxbackoff",
	"floor":  "atleast mindelay mininterval minwait minbackoff",
	"scale":  "multiply",
	"spread": "randomize randomization randomizationfactor",
	"within": "for timeout deadline until total duration maxelapsed maxelapsedtime maxduration stopafterdelay",
	"then":   "append followedby andthen chain",
	"max":    "maximum",
	"min":    "minimum",
	"add":    "plus sum",
})

func synonymsOf(words map[string]string) map[string]string {
	stages := map[string]string{}
	for stage, words := range words {
		for word := range strings.FieldsSeq(words) {
			stages[word] = stage
		}
	}
	return stages
}

// letters returns a name in lower case and without the marks that separate its words.
func letters(name string) string {
	name = strings.TrimPrefix(strings.ToLower(name), "backoff")
	return styles.Replace(strings.TrimPrefix(name, "."))
}

var styles = strings.NewReplacer("-", "", "_", "", "‐", "", "–", "", "—", "", "−", "")

// difference returns the smallest number of letters to insert, delete or replace that
// turns name into known (V. Levenshtein, 1966). It is 0 if name has three letters or more
// and known begins with it.
func difference(name, known string) int {
	if len(name) >= 3 && strings.HasPrefix(known, name) {
		return 0
	}
	if len(name) > 2*len(known)+longest { // far off: save the time
		return len(name)
	}
	row := make([]int, len(known)+1) // row[j]: the difference of the letters of name so far and known[:j]
	for j := range row {
		row[j] = j
	}
	for i := range len(name) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(known) {
			above := row[j+1]
			cost := diagonal
			if name[i] != known[j] {
				cost = 1 + min(diagonal, above, row[j])
			}
			diagonal, row[j+1] = above, cost
		}
	}
	return row[len(known)]
}
