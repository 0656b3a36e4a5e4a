_pota() {
  local IFS=$'\n' words=("${COMP_WORDS[@]:0:COMP_CWORD+1}")
  local cur=${COMP_WORDS[COMP_CWORD]}
  [[ $cur == -* ]] || unset 'words[COMP_CWORD]'
  COMPREPLY=($(compgen -W "$("${words[@]}" --generate-bash-completion 2>/dev/null)" -- "$cur"))
}
complete -o bashdefault -o default -F _pota pota
