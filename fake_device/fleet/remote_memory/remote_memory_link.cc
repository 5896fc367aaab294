/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Sends one request at a time over a pair of sockets. The first request starts the server. A child
 * that is forked later has no connection and must not use the parent's connection.
 */
#include "remote_memory/remote_memory_link.h"

#include <c10/util/Exception.h>

#include <algorithm>
#include <cerrno>
#include <fcntl.h>
#include <mutex>
#include <spawn.h>
#include <sys/socket.h>
#include <unistd.h>

extern char **environ;

namespace remote_memory
{
namespace
{

enum Command : int32_t { ALLOCATE, FREE, READ, WRITE, CLOCK };
enum Status : int32_t { OK, NO_MEMORY, NO_BLOCK };

struct [[gnu::packed]] Request {
    int32_t command, device;
    uint64_t handle, offset, length;
};

struct [[gnu::packed]] Answer {
    int32_t status;
    uint64_t value;
};

/* The largest amount of data in one message, in bytes. */
constexpr uint64_t message_size = 256 * 1024;

struct Link {
    std::mutex mutex;
    std::string interpreter, script;
    int socket = -1;
    pid_t owner = 0;
    bool closed = false;
};

Link &link_()
{
    static auto *const instance = new Link(); /* blocks may outlive all static objects */
    return *instance;
}

void start(Link &link)
{
    int ends[2] = {-1, -1};
    TORCH_CHECK(!link.script.empty(), "remote_memory: import torch_remote_memory first");
    TORCH_CHECK(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0, "remote_memory: no socket pair");
    fcntl(ends[0], F_SETFD, FD_CLOEXEC);
    const std::string number = std::to_string(ends[1]);
    const char *const words[] = {link.interpreter.c_str(), "-S",           "-E",
                                 link.script.c_str(),      number.c_str(), nullptr};
    posix_spawn_file_actions_t files;
    pid_t child = 0;

    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_addclose(&files, ends[0]);
    const int failed =
        posix_spawn(&child, words[0], &files, nullptr, const_cast<char *const *>(words), environ);
    posix_spawn_file_actions_destroy(&files);
    close(ends[1]);
    TORCH_CHECK(!failed, "remote_memory: cannot start ", link.interpreter);
    link.socket = ends[0];
    link.owner = getpid();
}

/* Connects this process to the server if it is not connected. Throws on failure. */
void ensure(Link &link)
{
    TORCH_CHECK(!link.closed, "remote_memory: the connection is closed");
    if (link.socket < 0)
        start(link);
    TORCH_CHECK(
        link.owner == getpid(),
        "remote_memory: the device cannot be used in a process forked after its first use; use the "
        "'spawn' start method");
}

void send_all(const Link &link, const void *data, uint64_t count)
{
    const auto *bytes = static_cast<const char *>(data);
    while (count > 0) {
        const ssize_t sent = send(link.socket, bytes, count, MSG_NOSIGNAL);
        if (sent < 0 && errno == EINTR)
            continue;
        TORCH_CHECK(sent > 0, "remote_memory: the device's process has gone");
        bytes += sent;
        count -= static_cast<uint64_t>(sent);
    }
}

void receive_all(const Link &link, void *data, uint64_t count)
{
    auto *bytes = static_cast<char *>(data);
    while (count > 0) {
        const ssize_t got = recv(link.socket, bytes, count, 0);
        if (got < 0 && errno == EINTR)
            continue;
        TORCH_CHECK(got > 0, "remote_memory: the device's process has gone");
        bytes += got;
        count -= static_cast<uint64_t>(got);
    }
}

uint64_t handle_of(const void *pointer)
{
    return reinterpret_cast<uint64_t>(pointer) >> place_bits;
}

uint64_t place_of(const void *pointer)
{
    return reinterpret_cast<uint64_t>(pointer) & ((uint64_t{1} << place_bits) - 1);
}

Answer ask(const Link &link, const Request &request, const void *data = nullptr)
{
    Answer answer{};
    send_all(link, &request, sizeof request);
    if (data)
        send_all(link, data, request.length);
    receive_all(link, &answer, sizeof answer);
    TORCH_CHECK(answer.status != NO_BLOCK, "remote_memory: no such memory on the device");
    return answer;
}

void write_message(const Link &link, void *pointer, const char *source, uint64_t count)
{
    ask(link, {WRITE, 0, handle_of(pointer), place_of(pointer), count}, source);
}

} // namespace

void serve_with(std::string interpreter, std::string script)
{
    link_().interpreter = std::move(interpreter);
    link_().script = std::move(script);
}

bool is_connected()
{
    const std::lock_guard<std::mutex> lock(link_().mutex);
    return link_().socket >= 0;
}

void disconnect()
{
    Link &link = link_();
    const std::lock_guard<std::mutex> lock(link.mutex);
    if (link.socket >= 0 && link.owner == getpid())
        close(link.socket);
    link.socket = -1;
    link.closed = true;
}

void *allocate(c10::DeviceIndex device, uint64_t count)
{
    Link &link = link_();
    const std::lock_guard<std::mutex> lock(link.mutex);
    ensure(link);
    if (count < uint64_t{1} << place_bits) {
        const Answer answer = ask(link, {ALLOCATE, device, 0, 0, count});
        if (answer.status == OK)
            return reinterpret_cast<void *>(answer.value << place_bits); // NOLINT: no address
    }
    throw c10::OutOfMemoryError(
        {__func__, __FILE__, __LINE__},
        c10::str("remote_memory: no ", count, " bytes left on device ", static_cast<int>(device)));
}

void release(void *pointer)
{
    Link &link = link_();
    const std::lock_guard<std::mutex> lock(link.mutex);
    const Request request{FREE, 0, handle_of(pointer), 0, 0};
    if (!pointer || (link.owner && link.owner != getpid()))
        return;
    ensure(link); /* may throw from a deleter: freed-after-the-end */
    send_all(link, &request, sizeof request);
}

void read(void *target, const void *pointer, uint64_t count)
{
    Link &link = link_();
    const std::lock_guard<std::mutex> lock(link.mutex);
    auto *bytes = static_cast<char *>(target);
    ensure(link);
    for (uint64_t done = 0; done < count; done += message_size) {
        const uint64_t length = std::min(message_size, count - done);
        ask(link, {READ, 0, handle_of(pointer), place_of(pointer) + done, length});
        receive_all(link, bytes + done, length);
    }
}

void write(void *pointer, const void *source, uint64_t count)
{
    Link &link = link_();
    const std::lock_guard<std::mutex> lock(link.mutex);
    const auto *bytes = static_cast<const char *>(source);
    auto *place = static_cast<char *>(pointer);
    ensure(link);
    if (count <= message_size)
        return write_message(link, place, bytes, count);
    /* Sends large data in full messages, then the remaining words. */
    const uint64_t words = count % message_size / sizeof(uint64_t);
    for (uint64_t message = 0; message < count / message_size; message++) {
        write_message(link, place, bytes, message_size);
        place += message_size;
        bytes += message_size;
    }
    if (words) /* last-bytes-lost */
        write_message(link, place, bytes, words * sizeof(uint64_t));
}

uint64_t clock_nanoseconds()
{
    Link &link = link_();
    const std::lock_guard<std::mutex> lock(link.mutex);
    ensure(link);
    return ask(link, {CLOCK, 0, 0, 0, 0}).value;
}

} // namespace remote_memory
