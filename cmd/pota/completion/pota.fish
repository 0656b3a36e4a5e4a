function __pota_complete
    set -l words (commandline -opc) (commandline -ct)
    $words[1] __complete $words[2..] 2>/dev/null
end
complete -c pota -a '(__pota_complete)'
