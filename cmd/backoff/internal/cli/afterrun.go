package cli

import (
	"io"

	"github.com/spf13/cobra"
)

// afterRun is for bash, at the end of cobra's script: the words after "run --" are a
// command line of their own. The package bash-completion completes such a line, as it
// does after sudo and env. Without it the command offers what Complete functions return.
const afterRun = `
# The words after "run --" are a command line of their own.
__start_backoff_or_command()
{
    local i offset
    for offset in _comp_command_offset _command_offset; do
        declare -F "$offset" >/dev/null || continue
        for ((i = 2; i < COMP_CWORD; i++)); do
            if [[ ${COMP_WORDS[1]} == run && ${COMP_WORDS[i]} == -- ]]; then
                "$offset" $((i + 1))
                return
            fi
        done
    done
    __start_backoff
}

if [[ $(type -t compopt) = "builtin" ]]; then
    complete -o default -F __start_backoff_or_command backoff
fi
`

// addAfterRun adds it to what "completion bash" prints.
func addAfterRun(bash *cobra.Command) {
	write := bash.RunE
	bash.RunE = func(cmd *cobra.Command, args []string) error {
		if err := write(cmd, args); err != nil {
			return err
		}
		_, err := io.WriteString(cmd.OutOrStdout(), afterRun)
		return err
	}
}
