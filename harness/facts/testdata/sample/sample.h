#pragma once
#include <sample_base.h>
#define SAMPLE_SUM(a, b) ((a) + (b))
#define SAMPLE_VERSION 3
#define SAMPLE_EXPORT __attribute__((__visibility__("default")))
namespace c10 {
inline namespace v1 {
struct SAMPLE_EXPORT Allocator : protected Base {
  virtual ~Allocator() = default;
  virtual void* allocate(unsigned long n) = 0;
  virtual bool simple(const void* p) const { return p != nullptr; }
  virtual void refuse() { throw 1; }
  [[deprecated("use allocate")]] void old(int n = 1 + 2);
  void base_virtual() const noexcept override;
  static int count;
  int size_ = 4; int rest_{5};
  union { int whole; char parts[4]; };
 private:
  void hidden();
  virtual void hidden_virtual();
  struct HiddenClass { int inside; };
};
} // namespace v1
enum class Kind : signed char { First, Second = SAMPLE_VERSION, Last };
using Bytes = unsigned long;
template <typename T, int N = 2> struct Array final { T at(int i) const; Array(T a); explicit Array(int n); };
template <typename T> T twice(T value);
template <> struct Array<int, 3> {};
void free_function(const char* text, ...);
int defined_below(int n);
inline int defined_below(int n) { return n; }
} // namespace c10
