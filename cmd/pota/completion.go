package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"
)

// The scripts ask the program itself: it lists what may follow when its last
// argument is --generate-bash-completion.
var completions = map[string]string{
	"bash": `_pota() {
  local IFS=$'\n' words=("${COMP_WORDS[@]:0:COMP_CWORD+1}")
  local cur=${COMP_WORDS[COMP_CWORD]}
  [[ $cur == -* ]] || unset 'words[COMP_CWORD]'
  COMPREPLY=($(compgen -W "$("${words[@]}" --generate-bash-completion 2>/dev/null)" -- "$cur"))
}
complete -o bashdefault -o default -F _pota pota
`,
	"zsh": `#compdef pota
_pota() {
  local -a opts
  local cur=${words[-1]}
  if [[ $cur == -* ]]; then
    opts=("${(@f)$(${words[@]:0:#words[@]} - --generate-bash-completion 2>/dev/null)}")
  else
    opts=("${(@f)$(${words[@]:0:#words[@]-1} --generate-bash-completion 2>/dev/null)}")
  fi
  [[ -n ${opts[1]} ]] && _describe 'values' opts
  _files
}
compdef _pota pota
`,
}

func (s *session) completionCommand() *cli.Command {
	return command(1, 1, cli.Command{
		Name:      "completion",
		Usage:     "print a script that completes commands and flags",
		ArgsUsage: "bash|zsh|fish",
		Description: "   source <(pota completion bash)\n" +
			"   pota completion fish > ~/.config/fish/completions/pota.fish",
		Action: func(c *cli.Context) (err error) {
			shell := c.Args().First()
			script, ok := completions[shell]
			if shell == "fish" {
				script, err = c.App.ToFishCompletion()
			} else if !ok {
				return unknown("script for the shell", shell, "bash", "zsh", "fish")
			}
			fmt.Fprint(s.out, script)
			return err
		},
	})
}

// completable replaces a partial flag, at which the library's completion of a
// command's flags would panic.
func completable(args []string) []string {
	args = slices.Clone(args)
	if n := len(args); n > 2 && strings.HasPrefix(args[n-2], "-") {
		args[n-2] = "-"
	}
	return args
}
