#compdef pota
_pota() {
  local -a found
  found=("${(@f)$("${words[1]}" __complete "${(@)words[2,CURRENT]}" 2>/dev/null)}")
  [[ -n ${found[1]} ]] && compadd -a found
  _files
}
compdef _pota pota
