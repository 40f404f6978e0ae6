// A bot that plays any game: dice over the legal moves. Nothing but stdin and stdout.
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

class Bot {
    static final List<String> state = new ArrayList<>(); // what this role may see, one fact a line: "at explorer 8 1"
    static final List<String> legal = new ArrayList<>(); // every legal move, as it must be printed
    static final Random dice = new Random();

    // Your idea goes here: return one of the legal moves.
    static String choose() {
        return legal.get(dice.nextInt(legal.size()));
    }

    public static void main(String[] args) throws IOException {
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            String[] words = line.trim().split(" ", 2);
            String rest = words.length > 1 ? words[1] : "";
            switch (words[0]) {
                case "seed" -> dice.setSeed(Long.parseLong(rest)); // the same dice in a rerun
                case "ready?" -> System.out.println("ready"); // println flushes
                case "turn" -> { state.clear(); legal.clear(); } // a new question: its state and its moves follow
                case "state" -> state.add(rest);
                case "legal" -> legal.add(rest);
                case "go" -> System.out.println(choose());
                case "end" -> { return; } // the match is over
            }
        }
    }
}
