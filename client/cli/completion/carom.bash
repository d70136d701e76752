# bash completion for carom, made by: carom completion bash

# What the value of an option is: flag, choices, or a kind such as world. $1 command, $2 option.
_carom_option()
{
    case "$1 $2" in
    "watch "--area | "watch "-a) kind=value ;;
    "watch "--rate | "watch "-r) kind=value ;;
    "watch "--no-contacts) kind=flag ;;
    "watch "--normals) kind=flag ;;
    "watch "--no-joints) kind=flag ;;
    "watch "--ids) kind=flag ;;
    "watch "--ascii) kind=flag ;;
    "watch "--frames | "watch "-n) kind=value ;;
    "watch "--size) kind=value ;;
    "watch "--interval | "watch "-i) kind=value ;;
    "events "--kind | "events "-k) kind=value ;;
    "events "--body | "events "-b) kind=value ;;
    "events "--area | "events "-a) kind=value ;;
    "events "--count | "events "-n) kind=value ;;
    "events "--for) kind=value ;;
    "events "--rate | "events "-r) kind=value ;;
    "bodies "--type) kind='choice:dynamic kinematic static' ;;
    "bodies "--tag) kind=value ;;
    "bodies "--awake) kind=flag ;;
    "bodies "--area) kind=value ;;
    "bodies "--ids) kind=flag ;;
    "worlds "--names) kind=flag ;;
    "info "--stats) kind=flag ;;
    "create "--gravity | "create "-g) kind=value ;;
    "create "--hz) kind=value ;;
    "create "--substeps) kind=value ;;
    "create "--paused | "create "-p) kind=flag ;;
    "create "--scene) kind=value ;;
    "create "--max-bodies) kind=value ;;
    "create "--no-sleep) kind=flag ;;
    "create "--durability) kind=value ;;
    "create "--if-absent) kind=flag ;;
    "apply "--paused | "apply "-p) kind=flag ;;
    "apply "--no-create) kind=flag ;;
    "spawn "--circle | "spawn "-c) kind=value ;;
    "spawn "--box | "spawn "-b) kind=value ;;
    "spawn "--capsule) kind=value ;;
    "spawn "--polygon) kind=value ;;
    "spawn "--segment) kind=value ;;
    "spawn "--chain) kind=value ;;
    "spawn "--loop) kind=value ;;
    "spawn "--density) kind=value ;;
    "spawn "--friction) kind=value ;;
    "spawn "--restitution) kind=value ;;
    "spawn "--rolling-resistance) kind=value ;;
    "spawn "--tangent-speed) kind=value ;;
    "spawn "--rounding) kind=value ;;
    "spawn "--sensor) kind=flag ;;
    "spawn "--events) kind=value ;;
    "spawn "--category) kind=value ;;
    "spawn "--mask) kind=value ;;
    "spawn "--group) kind=value ;;
    "spawn "--shape) kind=value ;;
    "spawn "--at | "spawn "-a) kind=value ;;
    "spawn "--angle) kind=value ;;
    "spawn "--velocity | "spawn "-v) kind=value ;;
    "spawn "--spin) kind=value ;;
    "spawn "--type) kind='choice:dynamic kinematic static' ;;
    "spawn "--mass) kind=value ;;
    "spawn "--bullet) kind=flag ;;
    "spawn "--fixed-rotation) kind=flag ;;
    "spawn "--tag) kind=value ;;
    "spawn "--count | "spawn "-n) kind=value ;;
    "spawn "--step) kind=value ;;
    "get "--field | "get "-f) kind=value ;;
    "shape "--circle | "shape "-c) kind=value ;;
    "shape "--box | "shape "-b) kind=value ;;
    "shape "--capsule) kind=value ;;
    "shape "--polygon) kind=value ;;
    "shape "--segment) kind=value ;;
    "shape "--chain) kind=value ;;
    "shape "--loop) kind=value ;;
    "shape "--density) kind=value ;;
    "shape "--friction) kind=value ;;
    "shape "--restitution) kind=value ;;
    "shape "--rolling-resistance) kind=value ;;
    "shape "--tangent-speed) kind=value ;;
    "shape "--rounding) kind=value ;;
    "shape "--sensor) kind=flag ;;
    "shape "--events) kind=value ;;
    "shape "--category) kind=value ;;
    "shape "--mask) kind=value ;;
    "shape "--group) kind=value ;;
    "shape "--shape) kind=value ;;
    "impulse "--point | "impulse "-p) kind=value ;;
    "impulse "--angular) kind=value ;;
    "force "--point | "force "-p) kind=value ;;
    "ray "--all | "ray "-A) kind=flag ;;
    "ray "--ignore) kind=value ;;
    "ray "--sensors) kind=flag ;;
    "ray "--category) kind=value ;;
    "ray "--mask) kind=value ;;
    "ray "--group) kind=value ;;
    "cast "--circle | "cast "-c) kind=value ;;
    "cast "--box | "cast "-b) kind=value ;;
    "cast "--capsule) kind=value ;;
    "cast "--polygon) kind=value ;;
    "cast "--segment) kind=value ;;
    "cast "--shape) kind=value ;;
    "cast "--all | "cast "-A) kind=flag ;;
    "cast "--ignore) kind=value ;;
    "cast "--sensors) kind=flag ;;
    "cast "--category) kind=value ;;
    "cast "--mask) kind=value ;;
    "cast "--group) kind=value ;;
    "overlap "--area) kind=value ;;
    "overlap "--point | "overlap "-p) kind=value ;;
    "overlap "--circle | "overlap "-c) kind=value ;;
    "overlap "--box | "overlap "-b) kind=value ;;
    "overlap "--capsule) kind=value ;;
    "overlap "--polygon) kind=value ;;
    "overlap "--segment) kind=value ;;
    "overlap "--shape) kind=value ;;
    "overlap "--at | "overlap "-a) kind=value ;;
    "overlap "--ignore) kind=value ;;
    "overlap "--sensors) kind=flag ;;
    "overlap "--category) kind=value ;;
    "overlap "--mask) kind=value ;;
    "overlap "--group) kind=value ;;
    "nearest "--radius | "nearest "-r) kind=value ;;
    "nearest "--ignore) kind=value ;;
    "nearest "--sensors) kind=flag ;;
    "nearest "--category) kind=value ;;
    "nearest "--mask) kind=value ;;
    "nearest "--group) kind=value ;;
    "ping "--count | "ping "-n) kind=value ;;
    "ping "--interval | "ping "-i) kind=value ;;
    "load "--connections | "load "-c) kind=value ;;
    "load "--time | "load "-d) kind=value ;;
    "load "--rate | "load "-r) kind=value ;;
    "load "--window | "load "-w) kind=value ;;
    "load "--snapshots) kind=value ;;
    "load "--no-snapshots) kind=flag ;;
    "load "--bodies | "load "-b) kind=value ;;
    "load "--hz) kind=value ;;
    "load "--world) kind=world ;;
    "load "--threads) kind=value ;;
    "call "--notify) kind=flag ;;
    "methods "--names) kind=flag ;;
    *" "--server | *" "-s) kind=value ;;
    *" "--json | *" "-j) kind=flag ;;
    *" "--timeout | *" "-t) kind=value ;;
    *" "--color) kind='choice:auto always never' ;;
    *" "--help | *" "-h) kind=flag ;;
    *" "--version | *" "-V) kind=flag ;;
    *) kind=none ;;
    esac
}

# What an operand is. $1 command, $2 how many stand before it.
_carom_operand()
{
    case "$1 $2" in
    "watch 0") kind=world ;;
    "events 0") kind=world ;;
    "bodies 0") kind=world ;;
    "info 0") kind=world ;;
    "create 0") kind=world ;;
    "create "*) kind=value ;;
    "apply 0") kind=file ;;
    "apply 1") kind=world ;;
    "destroy "*) kind=world ;;
    "pause "*) kind=world ;;
    "resume "*) kind=world ;;
    "step 0") kind=world ;;
    "step 1") kind=value ;;
    "spawn 0") kind=world ;;
    "spawn "*) kind=value ;;
    "get 0") kind=world ;;
    "get "*) kind=value ;;
    "set 0") kind=world ;;
    "set "*) kind=value ;;
    "remove 0") kind=world ;;
    "remove "*) kind=value ;;
    "shape 0") kind='choice:add remove' ;;
    "shape 1") kind=world ;;
    "shape "*) kind=value ;;
    "impulse 0") kind=world ;;
    "impulse 1") kind=value ;;
    "impulse 2") kind=value ;;
    "force 0") kind=world ;;
    "force 1") kind=value ;;
    "force 2") kind=value ;;
    "torque 0") kind=world ;;
    "torque 1") kind=value ;;
    "torque 2") kind=value ;;
    "joint 0") kind='choice:create set get remove list' ;;
    "joint 1") kind=world ;;
    "joint "*) kind=value ;;
    "ray 0") kind=world ;;
    "ray 1") kind=value ;;
    "ray 2") kind=value ;;
    "cast 0") kind=world ;;
    "cast 1") kind=value ;;
    "cast 2") kind=value ;;
    "overlap 0") kind=world ;;
    "nearest 0") kind=world ;;
    "nearest 1") kind=value ;;
    "call 0") kind=method ;;
    "call "*) kind=value ;;
    "methods 0") kind=method ;;
    "help 0") kind=topic ;;
    "completion 0") kind='choice:bash' ;;
    *) kind=none ;;
    esac
}

# The options of a command.
_carom_options()
{
    case "$1" in
    watch) options='--area --rate --no-contacts --normals --no-joints --ids --ascii --frames --size --interval' ;;
    events) options='--kind --body --area --count --for --rate' ;;
    bodies) options='--type --tag --awake --area --ids' ;;
    worlds) options='--names' ;;
    info) options='--stats' ;;
    create) options='--gravity --hz --substeps --paused --scene --max-bodies --no-sleep --durability --if-absent' ;;
    apply) options='--paused --no-create' ;;
    spawn) options='--circle --box --capsule --polygon --segment --chain --loop --density --friction --restitution --rolling-resistance --tangent-speed --rounding --sensor --events --category --mask --group --shape --at --angle --velocity --spin --type --mass --bullet --fixed-rotation --tag --count --step' ;;
    get) options='--field' ;;
    shape) options='--circle --box --capsule --polygon --segment --chain --loop --density --friction --restitution --rolling-resistance --tangent-speed --rounding --sensor --events --category --mask --group --shape' ;;
    impulse) options='--point --angular' ;;
    force) options='--point' ;;
    ray) options='--all --ignore --sensors --category --mask --group' ;;
    cast) options='--circle --box --capsule --polygon --segment --shape --all --ignore --sensors --category --mask --group' ;;
    overlap) options='--area --point --circle --box --capsule --polygon --segment --shape --at --ignore --sensors --category --mask --group' ;;
    nearest) options='--radius --ignore --sensors --category --mask --group' ;;
    ping) options='--count --interval' ;;
    load) options='--connections --time --rate --window --snapshots --no-snapshots --bodies --hz --world --threads' ;;
    call) options='--notify' ;;
    methods) options='--names' ;;
    *) options= ;;
    esac
    options="$options $globals"
}

# Fills COMPREPLY for a kind of value.
_carom_complete()
{
    local list=
    case "$1" in
    world)
        list=$("$program" ${server:+--server "$server"} --timeout 300ms worlds --names 2>/dev/null)
        ;;
    method) list=$("$program" methods --names 2>/dev/null) ;;
    command) list=$commands ;;
    topic) list="$commands $topics" ;;
    file)
        compopt -o filenames 2>/dev/null
        mapfile -t COMPREPLY < <(compgen -f -- "$2")
        return
        ;;
    choice:*) list=${1#choice:} ;;
    *) return ;;
    esac
    mapfile -t COMPREPLY < <(compgen -W "$list" -- "$2")
}

_carom()
{
    local program=${COMP_WORDS[0]} current=${COMP_WORDS[COMP_CWORD]}
    local command= kind= options= server= operands=0 at word pending=
    local globals='--server --json --timeout --color --help --version'
    local commands='watch events bodies worlds info create apply destroy pause resume step spawn get set remove shape impulse force torque joint ray cast overlap nearest ping load call methods help version completion'
    local topics='joints json scenes shapes'
    COMPREPLY=()
    for ((at = 1; at < COMP_CWORD; at++)); do
        word=${COMP_WORDS[at]}
        if [[ -n $pending ]]; then
            # HOST:PORT comes in three words, --name=value too.
            [[ $word == = ]] && continue
            [[ $pending == --server || $pending == -s ]] && server=$word
            while [[ ${COMP_WORDS[at + 1]-} == : && $((at + 2)) -lt $COMP_CWORD ]]; do
                [[ $server == "$word" ]] && server=$word:${COMP_WORDS[at + 2]}
                at=$((at + 2))
            done
            pending=
        elif [[ $word == -?* && $word != -[0-9.]* ]]; then
            _carom_option "$command" "$word"
            [[ $kind == flag || $kind == none ]] || pending=$word
        elif [[ -z $command ]]; then
            command=$word
        else
            operands=$((operands + 1))
        fi
    done
    if [[ -n $pending ]]; then
        [[ $current == = ]] && current=
        _carom_option "$command" "$pending"
        _carom_complete "$kind" "$current"
    elif [[ $current == -* ]]; then
        _carom_options "$command"
        mapfile -t COMPREPLY < <(compgen -W "$options" -- "$current")
    elif [[ -z $command ]]; then
        _carom_complete command "$current"
    else
        _carom_operand "$command" "$operands"
        _carom_complete "$kind" "$current"
    fi
}

complete -F _carom carom
