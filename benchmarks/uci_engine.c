/* A UCI engine that plays a game from a file at once: `uci_engine FILE`, a move of the game a line. For peers.py. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv) {
    static char line[65536], moves[1000][8];
    int plies = 0, ply = 0;
    FILE *file = argc > 1 ? fopen(argv[1], "r") : NULL;
    if (!file) return fprintf(stderr, "uci_engine FILE\n"), 2;
    while (plies < 1000 && fscanf(file, "%7s", moves[plies]) == 1) plies++;
    while (fgets(line, sizeof line, stdin)) {
        if (!strncmp(line, "position", 8)) { /* "position startpos moves e2e4 ...": the words after the third are moves */
            ply = -3;
            for (char *word = strtok(line, " \n"); word; word = strtok(NULL, " \n")) ply++;
            if (ply < 0) ply = 0;
        } else if (!strncmp(line, "go", 2)) {
            printf("info depth 1 score cp 0\nbestmove %s\n", ply < plies ? moves[ply] : "0000"), fflush(stdout);
        } else if (!strcmp(line, "isready\n")) {
            puts("readyok"), fflush(stdout);
        } else if (!strcmp(line, "uci\n")) {
            puts("id name scripted\nid author arena\nuciok"), fflush(stdout);
        } else if (!strcmp(line, "quit\n")) {
            break;
        }
    }
    return 0;
}
