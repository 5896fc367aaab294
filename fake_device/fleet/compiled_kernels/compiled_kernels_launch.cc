/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Compiles, stores and runs kernels. If two processes need the same kernel, one compiles and the
 * other waits for a file lock. A killed compilation does not affect other processes: the operating
 * system releases the lock, and an incomplete library never has the final name.
 */
#include "compiled_kernels/compiled_kernels_launch.h"

#include <c10/util/Exception.h>

#include <condition_variable>
#include <cstdlib>
#include <deque>
#include <dlfcn.h>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <functional>
#include <future>
#include <mutex>
#include <spawn.h>
#include <sys/file.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <unordered_map>

extern char **environ;

namespace compiled_kernels
{
namespace
{

using Kernel = void (*)(const Launch *);

const char *const prologue = R"(
#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <cstdint>
#include <functional>
#include <map>
#include <random>
#include <regex>
#include <string>
#include <vector>
struct Launch {
    std::array<int64_t, 4> sizes;
    std::array<std::array<int64_t, 4>, 3> strides;
    std::array<char *, 3> data;
    std::array<double, 2> numbers;
    std::array<uint64_t, 2> words;
};
static inline uint64_t mixed(uint64_t x)
{
    x += 0x9e3779b97f4a7c15u;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}
)";

const char *const loops = R"(
extern "C" void kernel(const Launch *launch)
{
    const auto &n = launch->numbers;
    const auto &w = launch->words;
    uint64_t i = 0;
    (void)n; (void)w;
    for (int64_t d3 = 0; d3 < launch->sizes[3]; d3++)
        for (int64_t d2 = 0; d2 < launch->sizes[2]; d2++)
            for (int64_t d1 = 0; d1 < launch->sizes[1]; d1++)
                for (int64_t d0 = 0; d0 < launch->sizes[0]; d0++, i++) {
                    const auto at = [&](int operand) {
                        const auto &s = launch->strides[operand];
                        return launch->data[operand] + d0 * s[0] + d1 * s[1] + d2 * s[2] + d3 * s[3];
                    };
                    T &out = *(T *)at(0);
                    const A a = launch->data[1] ? *(const A *)at(1) : A();
                    const B b = launch->data[2] ? *(const B *)at(2) : B();
                    (void)a; (void)b;
                    )";

std::string hash_of(const std::string &text)
{
    uint64_t hash = 0xcbf29ce484222325u;
    char name[17];
    for (const char letter : text)
        hash = (hash ^ static_cast<unsigned char>(letter)) * 0x100000001b3u;
    std::snprintf(name, sizeof name, "%016llx", static_cast<unsigned long long>(hash));
    return name;
}

std::filesystem::path cache()
{
    const std::filesystem::path folder =
        std::getenv("KERNEL_CACHE"); /* torch_compiled_kernels.py sets this folder */
    std::filesystem::create_directories(folder);
    return folder;
}

/* Held while the object exists, and released when the process ends. */
class Lock
{
  public:
    explicit Lock(const std::filesystem::path &path)
        : file_(open(path.c_str(), O_CREAT | O_RDWR | O_CLOEXEC, 0666))
    {
        TORCH_CHECK(file_ >= 0 && flock(file_, LOCK_EX) == 0, "compiled_kernels: cannot lock ",
                    path.string());
    }
    ~Lock()
    {
        close(file_);
    }
    Lock(const Lock &) = delete;
    Lock &operator=(const Lock &) = delete;

  private:
    int file_;
};

void run_compiler(const std::string &source, const std::string &library)
{
    const char *const compiler = std::getenv("CXX") ? std::getenv("CXX") : "c++";
    const char *const words[] = {compiler, "-std=c++17", "-O1",           "-w",           "-shared",
                                 "-fPIC",  "-o",         library.c_str(), source.c_str(), nullptr};
    posix_spawn_file_actions_t files;
    pid_t child = -1;
    int status = 0;
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_addopen(&files, STDERR_FILENO, (source + ".log").c_str(),
                                     O_CREAT | O_TRUNC | O_WRONLY, 0666);
    const int failed =
        posix_spawnp(&child, compiler, &files, nullptr, const_cast<char *const *>(words), environ);
    posix_spawn_file_actions_destroy(&files);
    TORCH_CHECK(!failed, "compiled_kernels: cannot start ", compiler,
                ", which compiles the kernels");
    while (waitpid(child, &status, 0) < 0 && errno == EINTR)
        ;
}

void compile(const std::string &text, const std::filesystem::path &library)
{
    const std::filesystem::path source = std::filesystem::path(library).replace_extension(".cc");
    const std::filesystem::path partial = std::filesystem::path(library).replace_extension(".part");
    const Lock lock(std::filesystem::path(library).replace_extension(".lock"));
    if (std::filesystem::exists(library))
        return;
    std::ofstream(source) << text;
    run_compiler(source, partial);
    std::error_code none;
    std::filesystem::rename(partial, library, none);
}

Kernel find(const std::string &types, const std::string &body)
{
    static auto *const loaded = new std::unordered_map<std::string, Kernel>();
    const std::string text = prologue + types + loops + body + "\n}}\n";
    const auto known = loaded->find(text);
    if (known != loaded->end())
        return known->second;
    const std::filesystem::path library = cache() / (hash_of(text) + ".so");
    if (!std::filesystem::exists(library))
        compile(text, library);
    void *const handle = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
    const auto kernel = reinterpret_cast<Kernel>(dlsym(handle, "kernel"));
    loaded->emplace(text, kernel);
    return kernel;
}

/* The command processor runs the submitted kernels in order. The processor's thread does not exist
 * in a forked child: child-waits-for-ever. */
class Processor
{
  public:
    Processor() : thread_([this] { serve(); })
    {
        thread_.detach();
    }

    void submit(std::function<void()> command)
    {
        std::packaged_task<void()> task(std::move(command));
        std::future<void> done = task.get_future();
        {
            const std::lock_guard<std::mutex> lock(mutex_);
            queue_.push_back(std::move(task));
        }
        wake_.notify_one();
        done.get();
    }

  private:
    void serve()
    {
        for (;;) {
            std::unique_lock<std::mutex> lock(mutex_);
            wake_.wait(lock, [this] { return !queue_.empty(); });
            std::packaged_task<void()> task = std::move(queue_.front());
            queue_.pop_front();
            lock.unlock();
            task();
        }
    }

    std::mutex mutex_;
    std::condition_variable wake_;
    std::deque<std::packaged_task<void()>> queue_;
    std::thread thread_;
};

} // namespace

void launch(const std::string &types, const std::string &body, const Launch &what)
{
    static auto *const processor = new Processor();
    processor->submit([&] { find(types, body)(&what); });
}

} // namespace compiled_kernels
