// A bot that plays any game: dice over the legal moves. Nothing but stdin and stdout.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LINES = 4096, LENGTH = 1024 };
static char state[LINES][LENGTH]; // what this role may see, one fact a line: "at explorer 8 1"
static char legal[LINES][LENGTH]; // every legal move, as it must be printed
static int states, legals;

// Your idea goes here: return one of the legal moves.
static const char *choose(void) {
    return legal[rand() % legals];
}

int main(void) {
    static char line[LENGTH];
    setvbuf(stdout, NULL, _IOLBF, 0); // flush at the end of each line, or nobody hears us
    while (fgets(line, sizeof line, stdin)) {
        line[strcspn(line, "\r\n")] = '\0';
        char *rest = strchr(line, ' ');
        if (rest) *rest++ = '\0';
        else rest = "";
        if (!strcmp(line, "seed")) srand((unsigned)atoi(rest)); // the same dice in a rerun
        else if (!strcmp(line, "ready?")) puts("ready");
        else if (!strcmp(line, "turn")) states = legals = 0; // a new question: its state and its moves follow
        else if (!strcmp(line, "state") && states < LINES) strcpy(state[states++], rest);
        else if (!strcmp(line, "legal") && legals < LINES) strcpy(legal[legals++], rest);
        else if (!strcmp(line, "go")) puts(choose());
        else if (!strcmp(line, "end")) break; // the match is over
    }
    return 0;
}
