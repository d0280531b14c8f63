/* Preloaded, it makes each write to a -wal of SQLite wait for the milliseconds that are in the file named by SLOW_DISK. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

ssize_t pwrite64(int descriptor, const void *bytes, size_t size, off64_t at) {
    char link[64], path[4096];
    snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
    ssize_t length = readlink(link, path, sizeof path);
    FILE *file = length > 4 && !memcmp(path + length - 4, "-wal", 4) ? fopen(getenv("SLOW_DISK"), "r") : NULL;
    int milliseconds = 0;
    if (file && fscanf(file, "%d", &milliseconds) == 1) usleep(milliseconds * 1000);
    if (file) fclose(file);
    return syscall(SYS_pwrite64, descriptor, bytes, size, at);
}
