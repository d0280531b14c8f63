/* Preloaded, it makes each write to a -wal of SQLite wait for the milliseconds that are in the file named by SLOW_DISK,
   and each sync of a file for those in the file named by SLOW_SYNC. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static void wait_for(const char *setting) {
    const char *name = getenv(setting);
    FILE *file = name ? fopen(name, "r") : NULL;
    int milliseconds = 0;
    if (file && fscanf(file, "%d", &milliseconds) == 1) usleep(milliseconds * 1000);
    if (file) fclose(file);
}

ssize_t pwrite64(int descriptor, const void *bytes, size_t size, off64_t at) {
    char link[64], path[4096];
    snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
    ssize_t length = readlink(link, path, sizeof path);
    if (length > 4 && !memcmp(path + length - 4, "-wal", 4)) wait_for("SLOW_DISK");
    return syscall(SYS_pwrite64, descriptor, bytes, size, at);
}

int fdatasync(int descriptor) {
    wait_for("SLOW_SYNC");
    return syscall(SYS_fdatasync, descriptor);
}

int fsync(int descriptor) {
    wait_for("SLOW_SYNC");
    return syscall(SYS_fsync, descriptor);
}
