# A bot that plays any game: dice over the legal moves. Nothing but stdin and stdout.
# A bot is one process: no $(...), no pipes, no other programs; printf, read and arithmetic are built in.

state=() # what this role may see, one fact a line: "at explorer 8 1"
legal=() # every legal move, as it must be printed

# Your idea goes here: set `move` to one of the legal moves.
choose() {
  move=${legal[RANDOM % ${#legal[@]}]}
}

while read -r word rest; do
  rest=${rest%$'\r'}
  case ${word%$'\r'} in
    seed) RANDOM=$rest ;; # the same dice in a rerun
    "ready?") echo ready ;;
    turn) state=() legal=() ;; # a new question: its state and its moves follow
    state) state+=("$rest") ;;
    legal) legal+=("$rest") ;;
    go) choose && printf '%s\n' "$move" ;;
    end) exit 0 ;; # the match is over
  esac
done
