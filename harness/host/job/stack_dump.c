/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Installs the signal handlers of a job process. Called by job.c. The handlers use only
 * async-signal-safe calls: open, write, raise, and backtrace_symbols_fd, which allocates no memory.
 */
#include "stack_dump.h"

#include <execinfo.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#define STACK_SIZE (64u << 10)
#define FRAMES 256 /* a cycle through the dispatcher has fifty frames */
/* O_NONBLOCK: the check may have put a pipe in place of the file, and opening it would block. */
#define DUMP_FLAGS (O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
#define NEAR (64u << 10) /* a fault address this close to the stack pointer is a stack overflow */

/* Static, because we cannot pass an argument to a signal handler. */
static char dump_path[1100];

static const int fatal_signals[] = {SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGILL};
#define COUNT (sizeof fatal_signals / sizeof *fatal_signals)

static void dump(int signal_number)
{
    static const char head[] = "stack at signal ";
    char number[4] = {(char)('0' + signal_number / 10 % 10), (char)('0' + signal_number % 10),
                      '\n'};
    void *frames[FRAMES];
    const int fd = open(dump_path, DUMP_FLAGS, 0644);
    if (fd < 0)
        return;
    if (write(fd, head, sizeof head - 1) > 0 && write(fd, number, 3) > 0)
        backtrace_symbols_fd(frames, backtrace(frames, FRAMES), fd);
    close(fd);
}

static uintptr_t stack_pointer(const ucontext_t *context)
{
#if defined(__x86_64__)
    return (uintptr_t)context->uc_mcontext.gregs[REG_RSP];
#elif defined(__aarch64__)
    return (uintptr_t)context->uc_mcontext.sp;
#else
    (void)context;
    return 0;
#endif
}

/* Returns the address of the program counter in the context. */
static uintptr_t *code_pointer(ucontext_t *context)
{
#if defined(__x86_64__)
    return (uintptr_t *)&context->uc_mcontext.gregs[REG_RIP];
#elif defined(__aarch64__)
    return (uintptr_t *)&context->uc_mcontext.pc;
#else
    (void)context;
    return NULL;
#endif
}

static void return_from_call(ucontext_t *context)
{
#if defined(__x86_64__)
    greg_t *const registers = context->uc_mcontext.gregs;
    registers[REG_RIP] = *(const greg_t *)registers[REG_RSP];
    registers[REG_RSP] += (greg_t)sizeof(greg_t);
#elif defined(__aarch64__)
    context->uc_mcontext.pc = context->uc_mcontext.regs[30];
#else
    (void)context;
#endif
}

static void tell(const char *words, size_t length)
{
    const int fd = open(dump_path, DUMP_FLAGS, 0644);
    if (fd < 0)
        return;
    if (write(fd, words, length) < 0)
        dump_path[0] = '\0';
    close(fd);
}

/* Reports a call of a null function pointer. No stack can be unwound from address 0, so the
 * caller's program counter is used instead. */
static void tell_null_call(const siginfo_t *facts, void *context)
{
    static const char words[] = "call of address 0\n";
    const uintptr_t *const at = code_pointer(context);
    if (facts->si_code <= 0 || !at || *at != 0)
        return;
    tell(words, sizeof words - 1);
    return_from_call(context);
}

/* Infinite recursion touches the guard page just below the stack. */
static void tell_overflow(const siginfo_t *facts, const void *context)
{
    static const char words[] = "stack overflow\n";
    const uintptr_t at = (uintptr_t)facts->si_addr, stack = stack_pointer(context);
    if (facts->si_code > 0 && stack && at + NEAR > stack && at < stack + NEAR)
        tell(words, sizeof words - 1);
}

static void on_request(int signal_number)
{
    dump(signal_number);
}

/* SA_RESETHAND has restored the default action, so raising the signal again ends the process as
 * it would have ended without us. */
static void on_death(int signal_number, siginfo_t *facts, void *context)
{
    tell_overflow(facts, context);
    tell_null_call(facts, context);
    dump(signal_number);
    raise(signal_number);
}

static struct sigaction beneath[COUNT];

/* Writes the stack, then calls the signal handler that was installed before ours. */
static void on_first(int signal_number, siginfo_t *facts, void *context)
{
    size_t i = 0;
    while (fatal_signals[i] != signal_number)
        i++;
    tell_overflow(facts, context);
    tell_null_call(facts, context);
    sigaction(signal_number, &beneath[i], NULL);
    if (beneath[i].sa_flags & SA_SIGINFO)
        beneath[i].sa_sigaction(signal_number, facts, context);
    else
        beneath[i].sa_handler(signal_number);
}

void hn_stack_dump_come_first(void)
{
    for (size_t i = 0; i < COUNT; i++) {
        struct sigaction now;
        if (sigaction(fatal_signals[i], NULL, &now) != 0 || now.sa_handler == SIG_DFL ||
            now.sa_handler == SIG_IGN || now.sa_sigaction == on_death ||
            now.sa_sigaction == on_first)
            continue;
        beneath[i] = now;
        now.sa_sigaction = on_first;
        now.sa_flags |= (int)(SA_SIGINFO | SA_NODEFER | SA_ONSTACK);
        sigaction(fatal_signals[i], &now, NULL);
    }
}

void hn_stack_dump_prepare(void)
{
    void *frame;
    backtrace(&frame, 1);
}

void hn_stack_dump_aim(const char *path)
{
    snprintf(dump_path, sizeof dump_path, "%s", path);
}

int hn_stack_dump_install(void)
{
    void *memory =
        mmap(NULL, STACK_SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
        return -1;
    /* After a stack overflow a handler cannot run on the stack itself. */
    const stack_t stack = {.ss_sp = memory, .ss_size = STACK_SIZE};
    sigaltstack(&stack, NULL);

    struct sigaction action = {.sa_handler = on_request, .sa_flags = SA_RESTART};
    int status = sigaction(HN_STACK_SIGNAL, &action, NULL);
    action =
        (struct sigaction){.sa_sigaction = on_death,
                           .sa_flags = (int)(SA_SIGINFO | SA_RESETHAND | SA_NODEFER | SA_ONSTACK)};
    for (size_t i = 0; i < COUNT; i++)
        status |= sigaction(fatal_signals[i], &action, NULL);
    return status;
}
