/* A bot whose second thread gathers waits for a core among spinning ones, before it is asked for a move. Then that thread
   calls exec, and so becomes the process's first one with all that the kernel counts of it; and sleeps. */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { CROWD = 12, GATHERED = 400 /* ms */ };
static volatile int over, asked;
static char *itself;

static long now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

static void *spin(void *none)
{
    while (!over) ;
    return none;
}

static void *gather(void *none)
{
    pthread_t thread;
    char *words[] = {itself, "sleep", NULL};
    long begun = now();
    for (int i = 0; i < CROWD; i++) pthread_create(&thread, NULL, spin, NULL);
    while (now() - begun < GATHERED) sched_yield();
    over = 1;
    puts("ready");
    fflush(stdout);
    while (!asked) usleep(1000);
    execv(itself, words);
    return none;
}

int main(int count, char **words)
{
    char line[1000];
    pthread_t thread;
    itself = words[0];
    if (count > 1) return (int)sleep(60);
    while (fgets(line, sizeof line, stdin)) {
        if (!strncmp(line, "ready?", 6)) pthread_create(&thread, NULL, gather, NULL);
        if (!strncmp(line, "go", 2)) { asked = 1; sleep(60); }
    }
    return 0;
}
