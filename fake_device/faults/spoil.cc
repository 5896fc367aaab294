/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See spoil.h. A wrong operator is never removed, because another thread may be executing it.
 */
#include "spoil.h"

#include <c10/util/Exception.h>

#include <cstring>
#include <mutex>
#include <set>
#include <utility>

namespace fakedev
{

namespace
{

const c10::DispatchKeySet autocast(c10::DispatchKey::AutocastPrivateUse1);

class SpoiledKernel final : public c10::OperatorKernel
{
  public:
    SpoiledKernel(Spoil spoil, std::optional<c10::SafeKernelFunction> clean)
        : spoil_(std::move(spoil)), clean_(std::move(clean))
    {
    }

    void operator()(const c10::OperatorHandle &op, c10::DispatchKeySet keys,
                    torch::jit::Stack *stack)
    {
        const Call call{op, keys, stack, clean_};
        if (armed(spoil_.fault))
            spoil_.wrong(call);
        else
            call.clean();
    }

  private:
    const Spoil spoil_;
    const std::optional<c10::SafeKernelFunction> clean_;
};

/* Suppresses the warning about an overridden kernel, because the override is deliberate here. */
class Silence final : public c10::WarningHandler
{
    void process(const c10::Warning &) override
    {
    }
};

std::optional<c10::OperatorHandle> find(const std::string &name)
{
    const size_t dot = name.find('.', name.find("::"));
    const bool plain = dot == std::string::npos;
    return c10::Dispatcher::singleton().findOp(
        c10::OperatorName(name.substr(0, dot), plain ? "" : name.substr(dot + 1)));
}

void place(const Spoil &spoil)
{
    const auto op = find(spoil.op);
    std::optional<c10::SafeKernelFunction> clean;
    TORCH_CHECK(op, "fakedev: ", spoil.fault, " is to spoil ", spoil.op, ", which does not exist");
    const bool falls_through = spoil.key == c10::DispatchKey::AutocastPrivateUse1 &&
                               !op->hasKernelForDispatchKey(spoil.key);
    if (!falls_through && op->hasComputedKernelForDispatchKey(spoil.key))
        clean = op->getComputedKernelForDispatchKey(spoil.key);
    const std::string space = spoil.op.substr(0, spoil.op.find("::"));
    auto *const library =
        new torch::Library(torch::Library::IMPL, space, spoil.key, __FILE__, __LINE__);
    library->impl(spoil.op.c_str(), torch::CppFunction::makeFromBoxedFunctor(
                                        std::make_unique<SpoiledKernel>(spoil, std::move(clean))));
}

} // namespace

void Call::clean() const
{
    if (kernel)
        kernel->callBoxed(op, keys, stack);
    else
        below_autocast();
}

void Call::below_autocast() const
{
    const c10::impl::ExcludeDispatchKeyGuard below(autocast);
    op.callBoxed(*stack);
}

size_t Call::argument_count() const
{
    return op.schema().arguments().size();
}

c10::IValue &Call::argument(size_t index) const
{
    return (*stack)[stack->size() - argument_count() + index];
}

c10::IValue *Call::named(const char *name) const
{
    const auto index = op.schema().argumentIndexWithName(name);
    return index ? &argument(static_cast<size_t>(*index)) : nullptr;
}

c10::IValue &Call::result() const
{
    return stack->back();
}

Wrong before(std::function<void(const Call &)> change)
{
    return [change = std::move(change)](const Call &call) {
        change(call);
        call.clean();
    };
}

Wrong after(std::function<void(const Call &)> change)
{
    return [change = std::move(change)](const Call &call) {
        call.clean();
        change(call);
    };
}

std::vector<std::string> kernels_for(c10::DispatchKey dispatch_key)
{
    std::vector<std::string> names;
    for (const c10::OperatorName &name :
         c10::Dispatcher::singleton().getRegistrationsForDispatchKey(dispatch_key))
        if (name.name.rfind("aten::", 0) == 0)
            names.push_back(c10::toString(name));
    return names;
}

namespace
{

/* Created at the first use, when every correct operator is registered. */
const Spoils &all_spoils()
{
    static const auto *const all = [] {
        auto *spoils = new Spoils;
        for (const auto list :
             {spoiled_arguments, spoiled_autocast, spoiled_collectives, spoiled_copies,
              spoiled_fallback, spoiled_forms, spoiled_formulas, spoiled_kernels, spoiled_kinds,
              spoiled_random, spoiled_refusals, spoiled_sums, spoiled_tensors})
            for (const Spoil &spoil : list())
                spoils->push_back(spoil);
        return spoils;
    }();
    return *all;
}

} // namespace

void place_spoils(const char *fault)
{
    static auto *const placed = new std::set<std::string>;
    static std::mutex mutex;
    static Silence silence;
    const std::lock_guard<std::mutex> lock(mutex);
    const c10::WarningUtils::WarningHandlerGuard quiet(&silence);
    for (const Spoil &spoil : all_spoils())
        if (std::strcmp(spoil.fault, fault) == 0 && (!spoil.by_being_there || armed(fault)) &&
            placed->insert(fault + spoil.op).second)
            place(spoil);
}

} // namespace fakedev
