// A bot that plays any game: dice over the legal moves. Nothing but stdin and stdout.
package main

import (
	"bufio"
	"fmt"
	"math/rand"
	"os"
	"strings"
)

var (
	state, legal []string // what this role may see, one fact a line; every legal move, as it must be printed
	dice         = rand.New(rand.NewSource(1))
)

// Your idea goes here: return one of the legal moves.
func choose() string {
	return legal[dice.Intn(len(legal))]
}

func main() {
	for lines := bufio.NewScanner(os.Stdin); lines.Scan(); {
		word, rest, _ := strings.Cut(strings.TrimSpace(lines.Text()), " ")
		switch word {
		case "seed":
			var seed int64
			fmt.Sscan(rest, &seed)
			dice.Seed(seed) // the same dice in a rerun
		case "ready?":
			fmt.Println("ready") // os.Stdout has no buffer: nothing to flush
		case "turn":
			state, legal = nil, nil // a new question: its state and its moves follow
		case "state":
			state = append(state, rest)
		case "legal":
			legal = append(legal, rest)
		case "go":
			fmt.Println(choose())
		case "end":
			return // the match is over
		}
	}
}
