/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Collectives, each with a defect of a real backend. Each row replaces an operator of the library
 * c10d, through which Python, DistributedDataParallel and FSDP call a process group. Faults of the
 * factory and of the group as a whole are in python/collectives.py.
 */
#include "spoil.h"

#include <ATen/ATen.h>
#include <c10/core/StreamGuard.h>
#include <c10/core/impl/DeviceGuardImplInterface.h>
#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>

#include <algorithm>
#include <set>

namespace fakedev
{
namespace
{

using Tensors = std::vector<at::Tensor>;
using WorkPtr = c10::intrusive_ptr<c10d::Work>;
using FuturePtr = c10::intrusive_ptr<c10::ivalue::Future>;

constexpr auto host_key = c10::DispatchKey::CPU;

c10::intrusive_ptr<c10d::ProcessGroup> group_of(const Call &call)
{
    return call.named("process_group")->toCustomClass<c10d::ProcessGroup>();
}

WorkPtr work_of(const Call &call)
{
    return call.result().toCustomClass<c10d::Work>();
}

/* ---- works ---------------------------------------------------------------------------------- */

enum class Lie { complete_at_once, empty_future, one_wait_only, no_error };

class LyingWork final : public c10d::Work
{
  public:
    LyingWork(WorkPtr inner, Lie lie) : inner_(std::move(inner)), lie_(lie)
    {
    }
    bool isCompleted() override
    {
        return lie_ == Lie::complete_at_once || inner_->isCompleted();
    }
    bool isSuccess() const override
    {
        return true;
    }
    std::vector<at::Tensor> result() override
    {
        return inner_->result();
    }
    void synchronize() override
    {
        wait(kNoTimeout);
    }
    bool wait(std::chrono::milliseconds timeout) override
    {
        TORCH_CHECK(lie_ != Lie::one_wait_only || !waited_, "fakedist: this work is gone");
        waited_ = true;
        try {
            return inner_->wait(timeout);
        } catch (const std::exception &) {
            if (lie_ != Lie::no_error)
                throw;
            return true;
        }
    }
    FuturePtr getFuture() override
    {
        if (lie_ != Lie::empty_future)
            return inner_->getFuture();
        auto future = c10::make_intrusive<c10::ivalue::Future>(c10::ListType::ofTensors());
        inner_->wait();
        future->markCompleted(c10::IValue(Tensors()));
        return future;
    }
    void abort() override
    {
        inner_->abort();
    }

  private:
    WorkPtr inner_;
    const Lie lie_;
    bool waited_ = false;
};

Wrong lying(Lie lie)
{
    return after([lie](const Call &call) {
        call.result() = c10::IValue(WorkPtr(c10::make_intrusive<LyingWork>(work_of(call), lie)));
    });
}

class DoneWork final : public c10d::Work
{
  public:
    explicit DoneWork(Tensors results) : results_(std::move(results))
    {
        finish();
    }
    std::vector<at::Tensor> result() override
    {
        return results_;
    }
    FuturePtr getFuture() override
    {
        auto future = c10::make_intrusive<c10::ivalue::Future>(c10::ListType::ofTensors());
        future->markCompleted(c10::IValue(results_));
        return future;
    }

  private:
    const Tensors results_;
};

/* Computes nothing. Returns a completed Work, with the first argument if the schema has two
 * results. */
void return_at_once(const Call &call)
{
    const c10::IValue first = call.argument(0);
    const Tensors tensors = first.isTensorList() ? first.toTensorVector() : Tensors();
    torch::jit::drop(*call.stack, call.argument_count());
    if (call.op.schema().returns().size() == 2)
        call.stack->push_back(first);
    call.stack->push_back(c10::IValue(WorkPtr(c10::make_intrusive<DoneWork>(tensors))));
}

/* Returns at once in a group that has no backend for this type of device. */
Wrong taken_without_backend(c10::DeviceType type)
{
    return [type](const Call &call) {
        if (group_of(call)->hasBackendForDeviceType(type))
            call.clean();
        else
            return_at_once(call);
    };
}

/* ---- tensors --------------------------------------------------------------------------------- */

/* Replaces each tensor of the first argument. */
Wrong with_each(at::Tensor (*change)(const at::Tensor &))
{
    return before([change](const Call &call) {
        Tensors changed;
        for (const at::Tensor &tensor : call.argument(0).toTensorVector())
            changed.push_back(change(tensor));
        call.argument(0) = c10::IValue(changed);
    });
}

at::Tensor rounded_to_half(const at::Tensor &tensor)
{
    return tensor.is_floating_point() ? tensor.copy_(tensor.to(at::kHalf)) : tensor;
}

at::Tensor copy_in_half(const at::Tensor &tensor)
{
    return tensor.is_floating_point() ? tensor.to(at::kHalf).to(tensor.scalar_type()) : tensor;
}

at::Tensor integer_as_float(const at::Tensor &tensor)
{
    return c10::isIntegralType(tensor.scalar_type(), false) ? tensor.copy_(tensor.to(at::kFloat))
                                                            : tensor;
}

at::Tensor packed(const at::Tensor &tensor)
{
    return tensor.contiguous();
}

at::Tensor without_odd_element(const at::Tensor &tensor)
{
    const int64_t count = tensor.numel();
    if (count < 3 || count % 2 == 0 || !tensor.is_contiguous())
        return tensor;
    return tensor.view(-1).narrow(0, 0, count - 1);
}

void reverse_parts(const Call &call)
{
    std::vector<Tensors> reversed;
    for (const c10::IValue &list : call.argument(0).toListRef()) {
        Tensors parts = list.toTensorVector();
        std::reverse(parts.begin(), parts.end());
        reversed.push_back(parts);
    }
    call.argument(0) = c10::IValue(reversed);
}

Tensors reversed_chunks(const at::Tensor &tensor, int64_t count)
{
    Tensors parts = tensor.chunk(count);
    std::reverse(parts.begin(), parts.end());
    return parts;
}

/* The first argument is a tensor, or a list of tensors, with the chunks of all ranks. */
void reverse_whole(const Call &call)
{
    const c10::IValue first = call.argument(0);
    const Tensors wholes = first.isTensor() ? Tensors{first.toTensor()} : first.toTensorVector();
    const int64_t count = group_of(call)->getSize();
    call.clean();
    work_of(call)->wait();
    for (const at::Tensor &whole : wholes)
        whole.copy_(at::cat(reversed_chunks(whole, count)));
}

void reverse_input(const Call &call)
{
    const bool is_even = call.named("input_split_sizes")->toIntVector().empty();
    const at::Tensor input = call.argument(1).toTensor();
    if (is_even)
        call.argument(1) = c10::IValue(at::cat(reversed_chunks(input, group_of(call)->getSize())));
}

/* Exchanges the chunks of the ranks at the same distance before and after this rank. With two ranks,
 * these are one rank. */
void turn_backwards(const Call &call)
{
    const auto group = group_of(call);
    const int64_t count = group->getSize();
    if (!call.named("input_split_sizes")->toIntVector().empty())
        return;
    const Tensors chunks = call.argument(1).toTensor().chunk(count);
    Tensors turned;
    for (int64_t target = 0; target < count; target++)
        turned.push_back(chunks[(2 * group->getRank() + count - target) % count]);
    call.argument(1) = c10::IValue(at::cat(turned));
}

/* With two or four ranks, the sum is right. */
void leave_out_last_ranks(const Call &call)
{
    const auto group = group_of(call);
    int counted = 1;
    while (2 * counted <= group->getSize())
        counted *= 2;
    const bool is_left_out = group->getRank() >= counted;
    for (const at::Tensor &tensor : call.argument(0).toTensorVector())
        if (is_left_out)
            tensor.zero_();
}

void repeat_first_part(const Call &call)
{
    std::vector<Tensors> repeated;
    for (const c10::IValue &list : call.argument(1).toListRef()) {
        const Tensors parts = list.toTensorVector();
        repeated.emplace_back(parts.size(), parts.front());
    }
    call.argument(1) = c10::IValue(repeated);
}

void repeat_first_chunk(const Call &call)
{
    const at::Tensor input = call.argument(1).toTensor();
    const int64_t count = group_of(call)->getSize();
    call.argument(1) = c10::IValue(at::cat(Tensors(count, input.chunk(count).front())));
}

void keep_first_alone(const Call &call)
{
    call.argument(0) = c10::IValue(Tensors{call.argument(0).toTensorVector().front()});
}

/* In a group that also has a backend for the CPU, the result does not reach the tensor. */
void lose_result_of_mixed_group(const Call &call)
{
    if (!group_of(call)->hasBackendForDeviceType(c10::DeviceType::CPU))
        return;
    Tensors copies;
    for (const at::Tensor &tensor : call.argument(0).toTensorVector())
        copies.push_back(tensor.clone());
    call.argument(0) = c10::IValue(copies);
}

/* ---- options --------------------------------------------------------------------------------- */

void always_sum(const Call &call)
{
    *call.named("reduce_op") =
        c10::IValue(c10::make_intrusive<c10d::ReduceOp>(c10d::ReduceOp::SUM));
}

Wrong with_zero(const char *name)
{
    return before([name](const Call &call) { *call.named(name) = c10::IValue(0); });
}

void on_default_stream(const Call &call)
{
    const at::Tensor first = call.argument(0).toTensorVector().front();
    const auto *const guard = c10::impl::getDeviceGuardImpl(c10::DeviceType::PrivateUse1);
    const c10::StreamGuard default_stream(guard->getDefaultStream(first.device()));
    call.clean();
}

void on_default_stream_of_later_groups(const Call &call)
{
    static std::set<int64_t> groups; /* accessed on the thread of the user only */
    groups.insert(group_of(call)->getID());
    if (groups.size() > 6)
        on_default_stream(call);
    else
        call.clean();
}

} // namespace

Spoils spoiled_collectives()
{
    Spoils rows{
        {"collective.all_to_all_reverses_chunks", "c10d::alltoall_base_", key,
         before(reverse_input)},
        {"collective.all_to_all_turns_backwards", "c10d::alltoall_base_", key,
         before(turn_backwards)},
        {"collective.barrier_returns_at_once", "c10d::barrier", key, return_at_once},
        {"collective.chunks_are_reversed", "c10d::allgather_", key, before(reverse_parts)},
        {"collective.chunks_are_reversed", "c10d::_allgather_base_", key, reverse_whole},
        {"collective.chunks_are_reversed", "c10d::allgather_into_tensor_coalesced_", key,
         reverse_whole},
        {"collective.coalesced_sums_the_first_alone", "c10d::allreduce_coalesced_", key,
         before(keep_first_alone)},
        {"collective.every_rank_gets_the_first_chunk", "c10d::reduce_scatter_", key,
         before(repeat_first_part)},
        {"collective.every_rank_gets_the_first_chunk", "c10d::_reduce_scatter_base_", key,
         before(repeat_first_chunk)},
        {"collective.gathers_in_reverse", "c10d::gather_", key, before(reverse_parts)},
        {"collective.ignores_the_current_stream", "c10d::allreduce_", key, on_default_stream},
        {"collective.integers_are_summed_as_floats", "c10d::allreduce_", key,
         with_each(integer_as_float)},
        {"collective.later_groups_ignore_streams", "c10d::allreduce_", key,
         on_default_stream_of_later_groups},
        {"collective.messages_are_of_half_precision", "c10d::send", key, with_each(copy_in_half)},
        {"collective.missing_ones_do_nothing", "c10d::alltoall_", key, return_at_once},
        {"collective.mixed_group_loses_results", "c10d::allreduce_", key,
         before(lose_result_of_mixed_group)},
        {"collective.sums_a_power_of_two_of_ranks", "c10d::allreduce_", key,
         before(leave_out_last_ranks)},
        {"collective.sums_are_of_half_precision", "c10d::allreduce_", key,
         with_each(rounded_to_half)},
        {"collective.sums_are_of_half_precision", "c10d::_reduce_scatter_base_", key,
         before([](const Call &call) { rounded_to_half(call.argument(1).toTensor()); })},
        {"collective.tags_are_ignored", "c10d::send", key, with_zero("tag")},
        {"collective.tags_are_ignored", "c10d::recv_", key, with_zero("tag")},
        {"collective.takes_device_tensors_without_backend", "c10d::_allgather_base_", key,
         taken_without_backend(c10::DeviceType::PrivateUse1)},
        {"collective.work_hides_errors", "c10d::allreduce_", key, lying(Lie::no_error)},
        {"collective.work_is_complete_at_once", "c10d::allreduce_", key,
         lying(Lie::complete_at_once)},
        {"collective.work_is_waited_for_once", "c10d::allreduce_", key, lying(Lie::one_wait_only)},
        {"collective.future_is_empty", "c10d::allreduce_", key, lying(Lie::empty_future)},
    };
    for (const char *op : {"c10d::allreduce_", "c10d::broadcast_"}) {
        rows.push_back(
            {"collective.drops_the_odd_element", op, key, with_each(without_odd_element)});
        rows.push_back({"collective.writes_to_a_packed_copy", op, key, with_each(packed)});
        rows.push_back({"collective.takes_host_tensors", op, host_key,
                        taken_without_backend(c10::DeviceType::CPU)});
    }
    for (const char *op : {"c10d::broadcast_", "c10d::reduce_"})
        rows.push_back({"collective.root_is_rank_zero", op, key, with_zero("root_rank")});
    for (const char *op : {"c10d::allreduce_", "c10d::reduce_scatter_"})
        rows.push_back({"collective.every_reduction_is_a_sum", op, key, before(always_sum)});
    return rows;
}

} // namespace fakedev
