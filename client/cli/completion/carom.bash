# bash completion for carom and caromd: source <(carom completion bash)
#
# carom itself works out the candidates (carom complete), so that this script never grows old.

_carom()
{
    local line
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
    done < <("${COMP_WORDS[0]}" complete --shell bash -- \
        "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
    if [[ ${#COMPREPLY[@]} -eq 1 && ${COMPREPLY[0]} == *= ]]; then
        compopt -o nospace 2>/dev/null
    fi
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
complete -F _caromd caromd
