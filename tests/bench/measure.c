/* measure COMMAND…: run it with its output thrown away, print "USER-SECONDS PEAK-MB EXIT-CODE".
 * User time of the command and its children, since machines are shared and noisy. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    if (argc < 2)
        return 1;
    pid_t pid = fork();
    if (pid == 0) {
        int null = open("/dev/null", O_RDWR);
        dup2(null, STDOUT_FILENO);
        dup2(null, STDERR_FILENO);
        execvp(argv[1], argv + 1);
        _exit(127);
    }
    int status;
    struct rusage u;
    if (pid < 0 || wait4(pid, &status, 0, &u) != pid)
        return 1;
    printf("%.3f %ld %d\n", (double)u.ru_utime.tv_sec + (double)u.ru_utime.tv_usec * 1e-6,
           u.ru_maxrss / 1024, WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status));
    return 0;
}
