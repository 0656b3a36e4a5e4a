#compdef pota
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
