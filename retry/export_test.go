package retry

// Unmark makes the program one that has not used Depth or NotNested.
func Unmark() { marking.Store(false) }
