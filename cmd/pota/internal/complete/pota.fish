function __pota_complete
    set -l words (commandline -opc) (commandline -ct)
    $words --generate-bash-completion 2>/dev/null
end
complete -c pota -a '(__pota_complete)'
