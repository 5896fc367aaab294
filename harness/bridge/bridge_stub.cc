// SPDX-License-Identifier: BSD-3-Clause
//
// DispatchStub: lists the stubs that the backend has filled, and fills two stubs itself. A stub is
// only a table. The table is read here directly, because the stub's own methods need symbols that
// only some builds of torch have.
#include "bridge_internal.h"

#include <ATen/native/DispatchStub.h>
#include <ATen/native/UnaryOps.h>
#include <ATen/native/transformers/attention.h>
#include <ATen/ops/abs_native.h>

#include <string>

#define UNARY_STUBS(apply)                                                                         \
    apply(abs) apply(acos) apply(acosh) apply(angle) apply(asin) apply(asinh) apply(atan)          \
        apply(atanh) apply(bitwise_not) apply(ceil) apply(conj_physical) apply(cos) apply(cosh)    \
            apply(digamma) apply(erf) apply(erfc) apply(erfinv) apply(exp) apply(exp2)             \
                apply(expm1) apply(floor) apply(frac) apply(i0) apply(lgamma) apply(log)           \
                    apply(log10) apply(log1p) apply(log2) apply(logical_not) apply(neg)            \
                        apply(reciprocal) apply(round) apply(rsqrt) apply(sgn) apply(sigmoid)      \
                            apply(sign) apply(signbit) apply(sin) apply(sinc) apply(sinh)          \
                                apply(sqrt) apply(tan) apply(tanh) apply(trunc)

namespace
{

using at::native::DispatchStubImpl;

template <class Stub>
DispatchStubImpl &table_of(Stub &stub)
{
    static_assert(sizeof(Stub) == sizeof(DispatchStubImpl));
    return reinterpret_cast<DispatchStubImpl &>(stub);
}

int abs_calls[2], choices;

template <int number>
void count_call(at::TensorIteratorBase &)
{
    abs_calls[number]++;
}

int64_t count_choice(const at::Tensor &, const at::Tensor &, const at::Tensor &,
                     const std::optional<at::Tensor> &, double, bool, std::optional<double>, bool)
{
    choices++;
    return 0; // the composed form, which any backend can compute
}

// The backend's entry of a stub, stored while another entry replaces it.
struct Kept {
    void *entry = nullptr;
    bool taken = false;

    void replace(DispatchStubImpl &table, void *other)
    {
        if (!taken)
            entry = table.privateuse1_dispatch_ptr;
        taken = true;
        table.privateuse1_dispatch_ptr = other;
    }
    void put_back(DispatchStubImpl &table)
    {
        if (taken)
            table.privateuse1_dispatch_ptr = entry;
        taken = false;
    }
};

Kept kept_abs, kept_choice;

} // namespace

const char *bridge_stubs_filled(void)
{
    static std::string names;
    names.clear();
#define NAME_IF_FILLED(name)                                                                       \
    if (table_of(at::native::name##_stub).privateuse1_dispatch_ptr != nullptr)                     \
        names += names.empty() ? #name : " " #name;
    UNARY_STUBS(NAME_IF_FILLED)
    return names.c_str();
}

int32_t bridge_stub_fill_abs(int32_t with)
{
    at::native::unary_fn const ours[] = {nullptr, count_call<0>, count_call<1>};
    return bridge::guarded([&] {
        TORCH_CHECK_VALUE(with >= 0 && with <= 2, "there are two functions");
        kept_abs.replace(table_of(at::native::abs_stub), reinterpret_cast<void *>(ours[with]));
    });
}

int32_t bridge_stub_abs_calls(int32_t with)
{
    return with == 1 || with == 2 ? abs_calls[with - 1] : -1;
}

int32_t bridge_stub_abs(const struct bridge_tensor *tensor, const struct bridge_tensor *out)
{
    return bridge::guarded([&] {
        at::Tensor result = out->value;
        at::native::abs_out(tensor->value, result);
    });
}

void bridge_stub_fill_choice(void)
{
    kept_choice.replace(table_of(at::native::_fused_sdp_choice_stub),
                        reinterpret_cast<void *>(&count_choice));
}

int32_t bridge_stub_choices(void)
{
    return choices;
}

void bridge_stubs_put_back(void)
{
    kept_abs.put_back(table_of(at::native::abs_stub));
    kept_choice.put_back(table_of(at::native::_fused_sdp_choice_stub));
}
