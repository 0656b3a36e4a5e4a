#compdef pota
_pota() {
  local -a found
  found=("${(@f)$("${(@)words[1,CURRENT]}" --generate-bash-completion 2>/dev/null)}")
  if [[ -n ${found[1]} ]]; then compadd -a found; else _files; fi
}
if [[ ${funcstack[1]} = _pota ]]; then _pota "$@"; else compdef _pota pota; fi
