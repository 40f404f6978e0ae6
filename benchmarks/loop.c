/* The floor: what a referee costs that only passes lines on. `loop TURNS FILE BOT...`
 *
 * FILE holds the messages of a match as our referee wrote them: for each, a line `SEAT BYTES`, then the bytes. It starts a bot for each seat, says everything up to the first `turn` (the handshakes), then plays
 * the turns of FILE round and round: write, poll, read up to a newline. It checks nothing, measures no bot, freezes
 * nobody. Prints nanoseconds a turn. With `-m` it plays whole matches instead, TURNS of them, with fresh bots for each.
 */
#define _GNU_SOURCE
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define SEATS 4
#define MESSAGES 10000

struct message { int seat; size_t size; char *bytes; };
static struct message messages[MESSAGES];
static int many, seats, in[SEATS], out[SEATS];
static pid_t pids[SEATS];
extern char **environ;

static void die(const char *what) { perror(what); exit(1); }

static void load(const char *path) {
    FILE *file = fopen(path, "r");
    if (!file) die(path);
    struct message *one = messages;
    while (many < MESSAGES && fscanf(file, "%d %zu", &one->seat, &one->size) == 2) {
        one->bytes = malloc(one->size);
        if (fgetc(file) != '\n' || fread(one->bytes, 1, one->size, file) != one->size) die("short file");
        one++, many++;
    }
    fclose(file);
}

static void start(char **bots) {
    for (int seat = 0; seat < seats; seat++) {
        int to[2], from[2];
        if (pipe2(to, 0x80000) || pipe2(from, 0x80000)) die("pipe2"); /* O_CLOEXEC */
        posix_spawn_file_actions_t actions;
        posix_spawn_file_actions_init(&actions);
        posix_spawn_file_actions_adddup2(&actions, to[0], 0);
        posix_spawn_file_actions_adddup2(&actions, from[1], 1);
        char command[4096], *words[16], *rest = command;
        int count = 0;
        strncpy(command, bots[seat], sizeof command - 1);
        while (count < 15 && (words[count] = strsep(&rest, " "))) count++;
        words[count] = NULL;
        if (posix_spawnp(&pids[seat], words[0], &actions, NULL, words, environ)) die(words[0]);
        posix_spawn_file_actions_destroy(&actions);
        close(to[0]), close(from[1]);
        in[seat] = to[1], out[seat] = from[0];
    }
}

static void finish(void) {
    for (int seat = 0; seat < seats; seat++) close(in[seat]);
    for (int seat = 0; seat < seats; seat++) {
        kill(pids[seat], SIGKILL);
        waitpid(pids[seat], NULL, 0);
        close(out[seat]);
    }
}

static void ask(const struct message *one) {
    static char answer[65536];
    struct pollfd poll_of = {out[one->seat], POLLIN, 0};
    size_t size = 0;
    if (write(in[one->seat], one->bytes, one->size) != (ssize_t)one->size) die("write");
    do {
        if (poll(&poll_of, 1, 10000) != 1) die("no answer");
        ssize_t got = read(out[one->seat], answer + size, sizeof answer - size);
        if (got <= 0) die("no answer");
        size += got;
    } while (answer[size - 1] != '\n');
}

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec + time.tv_nsec / 1e9;
}

int main(int argc, char **argv) {
    int whole = argc > 1 && !strcmp(argv[1], "-m");
    argv += whole, argc -= whole;
    if (argc < 5) return fprintf(stderr, "loop [-m] TURNS FILE BOT BOT...\n"), 2;
    int turns = atoi(argv[1]);
    load(argv[2]);
    seats = argc - 3;
    signal(SIGPIPE, SIG_IGN);
    double began = now();
    if (whole) {
        for (int match = 0; match < turns; match++) {
            start(argv + 3);
            for (int i = 0; i < many; i++) ask(&messages[i]);
            finish();
        }
    } else {
        start(argv + 3);
        for (int i = 0; i < seats; i++) ask(&messages[i]);
        began = now();
        for (int turn = 0, i = seats; turn < turns; turn++, i = i + 1 < many ? i + 1 : seats) ask(&messages[i]);
    }
    printf("%.0f\n", (now() - began) / turns * 1e9);
    if (!whole) finish();
    return 0;
}
