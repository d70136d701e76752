# bash completion for carom, carom-load and caromd: source <(carom completion bash)
#
# carom itself works out the candidates (carom complete), so that this script never grows old.

# The candidates from the program $1, for the words that follow.
_carom_ask()
{
    local program=$1 line
    shift
    COMPREPLY=()
    while IFS= read -r line; do
        case "$line" in
        :files)
            compopt -o filenames 2>/dev/null
            mapfile -t COMPREPLY < <(compgen -f -- "${COMP_WORDS[COMP_CWORD]}")
            return
            ;;
        *) COMPREPLY+=("${line%%$'\t'*}") ;;
        esac
    done < <("$program" complete --shell bash -- "$@" 2>/dev/null)
    if [[ ${#COMPREPLY[@]} -eq 1 && ${COMPREPLY[0]} == *= ]]; then
        compopt -o nospace 2>/dev/null
    fi
}

_carom()
{
    _carom_ask "${COMP_WORDS[0]}" "${COMP_WORDS[@]:1:COMP_CWORD}"
}

# carom-load takes the options of 'carom bench'.
_carom_load()
{
    _carom_ask "${COMP_WORDS[0]%-load}" bench "${COMP_WORDS[@]:1:COMP_CWORD}"
}

# The options and the names of limits, from caromd's own help.
_caromd()
{
    local help list= current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]}
    help=$("${COMP_WORDS[0]}" --help 2>/dev/null)
    COMPREPLY=()
    case "$previous" in
    --log) list='error warn info debug' ;;
    --log-format) list='text json' ;;
    --limit) list=$(sed -n 's/^  \([a-z_]*\)  *[0-9].*/\1=/p' <<<"$help") ;;
    --world | --listen | --http | --origin | --hz | --*threads) ;;
    --check-config | --insecure) list=$(sed -n 's/^  \(--[a-z-]*\).*/\1/p' <<<"$help") ;;
    --*)
        compopt -o filenames 2>/dev/null
        mapfile -t COMPREPLY < <(compgen -f -- "$current")
        return
        ;;
    *) list=$(sed -n 's/^  \(--[a-z-]*\).*/\1/p' <<<"$help") ;;
    esac
    mapfile -t COMPREPLY < <(compgen -W "$list" -- "$current")
    [[ $previous != --limit ]] || compopt -o nospace 2>/dev/null
}

complete -F _carom carom
complete -F _carom_load carom-load
complete -F _caromd caromd
