# fish completion for carom, carom-load and caromd: carom completion fish | source
#
# carom itself works out the candidates (carom complete), so that this script never grows old.

function __carom_words
    set -l words (commandline -opc)
    set -l current (commandline -ct)
    set -l program (string replace -r -- '-load$' '' $words[1])
    set -l bench # carom-load takes the options of 'carom bench'
    test $program = $words[1]; or set bench bench
    set -l lines ($program complete --shell fish -- $bench $words[2..-1] "$current" 2>/dev/null)
    if test "$lines[1]" = :files
        __fish_complete_path "$current"
    else if set -q lines[1]
        printf '%s\n' $lines
    end
end

# The options and the names of limits, from caromd's own help.
function __caromd_options
    caromd --help 2>/dev/null | string match -rg '^  (--[a-z-]+)'
end

function __caromd_limits
    caromd --help 2>/dev/null | string match -rg '^  ([a-z_]+) +[0-9]' | string replace -r '$' =
end

complete -c carom -f -a '(__carom_words)'
complete -c carom-load -f -a '(__carom_words)'
complete -c caromd -a '(__caromd_options)'
complete -c caromd -l log -x -a 'error warn info debug'
complete -c caromd -l log-format -x -a 'text json'
complete -c caromd -l limit -x -a '(__caromd_limits)'
