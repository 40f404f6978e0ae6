// A bot that plays any game: dice over the legal moves. Nothing but stdin and stdout.
#include <iostream>
#include <random>
#include <string>
#include <vector>

static std::vector<std::string> state; // what this role may see, one fact a line: "at explorer 8 1"
static std::vector<std::string> legal; // every legal move, as it must be printed
static std::mt19937 dice;

// Your idea goes here: return one of the legal moves.
static std::string choose() {
    return legal[dice() % legal.size()];
}

int main() {
    for (std::string line; std::getline(std::cin, line);) {
        if (!line.empty() && line.back() == '\r') line.pop_back();
        const auto blank = line.find(' ');
        const std::string word = line.substr(0, blank);
        const std::string rest = blank == std::string::npos ? "" : line.substr(blank + 1);
        if (word == "seed") dice.seed(std::stoul(rest)); // the same dice in a rerun
        else if (word == "ready?") std::cout << "ready" << std::endl; // std::endl flushes
        else if (word == "turn") state.clear(), legal.clear(); // a new question: its state and its moves follow
        else if (word == "state") state.push_back(rest);
        else if (word == "legal") legal.push_back(rest);
        else if (word == "go") std::cout << choose() << std::endl;
        else if (word == "end") break; // the match is over
    }
}
