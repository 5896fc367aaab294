// SPDX-License-Identifier: BSD-3-Clause
#pragma once
namespace c10
{
namespace detail
{
void fail(const char *);
}
enum class Kind { Half, Float, Double, Int, NumOptions };
using Index = signed char;
struct Stats {
    long used;
    long peak;
};
struct Base {
    virtual ~Base() = default;
    virtual void name() const = 0;
};
struct Allocator : Base {
    virtual void *allocate(unsigned long size) = 0;
    virtual bool simple(const void *) const { return true; }
    long bytes() const;
};
struct Engine {
    virtual ~Engine() = default;
    virtual void start() = 0;
    virtual void stop(int code);
    void go();
};
struct Motor : Engine {
};
template <typename T> struct Ref {
    T *data;
    unsigned long size() const { return 0; }
};
Ref<int> ints();
void found_by_argument(const Stats &);
void take(void (*)(const Stats &));
template <typename T> struct Traits {
};
} // namespace c10
namespace at
{
namespace native
{
void helper(int);
}
void opened();
} // namespace at
