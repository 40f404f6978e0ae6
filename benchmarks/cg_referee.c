/* A referee for cg-brutaltester -o that asks two players in turn and checks nothing: `cg_referee TURNS`. For peers.py. */
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv) {
    static char line[65536];
    int turns = argc > 1 ? atoi(argv[1]) : 100;
    if (!fgets(line, sizeof line, stdin)) return 1; /* ###Start 2 */
    for (int turn = 0; turn < turns; turn++) {
        printf("###Input %d\nturn %d\n###Output %d 1\n", turn % 2, turn, turn % 2), fflush(stdout);
        if (!fgets(line, sizeof line, stdin)) return 1;
    }
    puts("###End 0 1"), fflush(stdout);
    return 0;
}
