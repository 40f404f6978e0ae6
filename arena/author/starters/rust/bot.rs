//! A bot that plays any game: dice over the legal moves. Nothing but stdin and stdout.
use std::io::{self, BufRead};

#[derive(Default)]
struct Turn {
    seed: u64,
    state: Vec<String>, // what this role may see, one fact a line: "at explorer 8 1"
    legal: Vec<String>, // every legal move, as it must be printed
}

impl Turn {
    /// Your idea goes here: return one of the legal moves.
    fn choose(&mut self) -> &str {
        let side = self.dice(self.legal.len());
        &self.legal[side]
    }

    /// A number below `sides`; the same in a rerun.
    fn dice(&mut self, sides: usize) -> usize {
        self.seed = self.seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.seed >> 33) as usize % sides
    }
}

fn main() {
    let mut turn = Turn::default();
    for line in io::stdin().lock().lines().map_while(Result::ok) {
        let (word, rest) = line.trim().split_once(' ').unwrap_or((line.trim(), ""));
        match word {
            "seed" => turn.seed = rest.parse().unwrap_or(1),
            "ready?" => println!("ready"), // println! flushes at the end of the line
            "turn" => (turn.state, turn.legal) = (vec![], vec![]), // a new question: its state and its moves follow
            "state" => turn.state.push(rest.into()),
            "legal" => turn.legal.push(rest.into()),
            "go" => println!("{}", turn.choose()),
            "end" => break, // the match is over
            _ => {}
        }
    }
}
