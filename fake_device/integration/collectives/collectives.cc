/* SPDX-License-Identifier: BSD-3-Clause
 *
 * c10d::Backend "fakedist": collectives on device tensors. The fake device has no interconnect, so
 * tensors are transferred through host memory by a backend for the CPU (gloo). The inner backend
 * determines rank, order and reduction. This file implements staging and completion.
 *
 * Purpose: torch.distributed, DDP and FSDP with device tensors. If this file is removed, these
 * raise "No backend type associated".
 * Traps: PyTorch finds a backend per device only if it is a C++ subclass of Backend; a Python
 * ProcessGroup is not found. The base class asserts in getBackendName(). A method that is not
 * overridden must raise a clear exception; the base class does this ("does not support alltoall").
 * Serves: DIST-004 to DIST-022, DIST-036.
 */
#include "collectives.h"
#include "collective_work.h"

namespace fakedev
{
namespace
{

using Tensors = std::vector<at::Tensor>;
using WorkPtr = c10::intrusive_ptr<c10d::Work>;

void require_device(const at::Tensor &tensor)
{
    TORCH_CHECK(tensor.is_privateuseone(), "fakedist: expected a tensor on fakedev, got one on ",
                tensor.device());
    TORCH_CHECK(tensor.layout() == at::kStrided, "fakedist: expected a dense tensor, got layout ",
                tensor.layout());
}

/* Copies the values to host memory. The copy waits for the current stream, so the values are
 * complete. */
at::Tensor values_of(const at::Tensor &tensor)
{
    require_device(tensor);
    return tensor.detach().cpu().contiguous();
}

/* Allocates host memory of the same shape, for a tensor that is only written. */
at::Tensor room_for(const at::Tensor &tensor)
{
    require_device(tensor);
    return at::empty(tensor.sizes(), tensor.options().device(at::kCPU).requires_grad(false));
}

template <at::Tensor (*stage)(const at::Tensor &)>
Tensors each(const Tensors &tensors)
{
    Tensors staged;
    for (const at::Tensor &tensor : tensors)
        staged.push_back(stage(tensor));
    return staged;
}

template <at::Tensor (*stage)(const at::Tensor &)>
std::vector<Tensors> each_list(const std::vector<Tensors> &lists)
{
    std::vector<Tensors> staged;
    for (const Tensors &list : lists)
        staged.push_back(each<stage>(list));
    return staged;
}

std::vector<Landing> pair_up(const Tensors &on_device, const Tensors &on_host)
{
    std::vector<Landing> landings;
    for (size_t i = 0; i < on_device.size(); i++)
        landings.push_back({on_device[i], on_host[i]});
    return landings;
}

Tensors flat(const std::vector<Tensors> &lists)
{
    Tensors all;
    for (const Tensors &list : lists)
        all.insert(all.end(), list.begin(), list.end());
    return all;
}

WorkPtr landing(WorkPtr inner, const Tensors &on_device, const Tensors &on_host)
{
    return collective_work(std::move(inner), pair_up(on_device, on_host), on_device);
}

WorkPtr landing(WorkPtr inner, const std::vector<Tensors> &on_device,
                const std::vector<Tensors> &on_host)
{
    return landing(std::move(inner), flat(on_device), flat(on_host));
}

class CollectiveBackend : public c10d::Backend
{
  public:
    explicit CollectiveBackend(c10::intrusive_ptr<c10d::Backend> inner)
        : Backend(inner->getRank(), inner->getSize()), inner_(std::move(inner))
    {
    }
    ~CollectiveBackend() override
    {
        inner_.reset(); /* ends its threads */
        release_finished_work();
    }
    const std::string getBackendName() const override
    {
        return "fakedist";
    }

    /* ---- one list, in place -------------------------------------------------------------- */
    WorkPtr broadcast(Tensors &tensors, const c10d::BroadcastOptions &options) override
    {
        Tensors host = each<values_of>(tensors);
        return landing(inner_->broadcast(host, options), tensors, host);
    }
    WorkPtr allreduce(Tensors &tensors, const c10d::AllreduceOptions &options) override
    {
        Tensors host = each<values_of>(tensors);
        return landing(inner_->allreduce(host, options), tensors, host);
    }
    WorkPtr allreduce_coalesced(Tensors &tensors,
                                const c10d::AllreduceCoalescedOptions &options) override
    {
        Tensors host = each<values_of>(tensors);
        return landing(inner_->allreduce_coalesced(host, options), tensors, host);
    }
    /* On the other ranks, host memory holds partial results, which are not copied to the device. */
    WorkPtr reduce(Tensors &tensors, const c10d::ReduceOptions &options) override
    {
        Tensors host = each<values_of>(tensors);
        WorkPtr work = inner_->reduce(host, options);
        const bool is_root = options.rootRank == getRank();
        return collective_work(std::move(work),
                               is_root ? pair_up(tensors, host) : std::vector<Landing>(), tensors);
    }

    /* ---- many from one, one from many ---------------------------------------------------- */
    WorkPtr allgather(std::vector<Tensors> &outputs, Tensors &inputs,
                      const c10d::AllgatherOptions &options) override
    {
        std::vector<Tensors> host_outputs = each_list<room_for>(outputs);
        Tensors host_inputs = each<values_of>(inputs);
        return landing(inner_->allgather(host_outputs, host_inputs, options), outputs,
                       host_outputs);
    }
    WorkPtr gather(std::vector<Tensors> &outputs, Tensors &inputs,
                   const c10d::GatherOptions &options) override
    {
        std::vector<Tensors> host_outputs = each_list<room_for>(outputs);
        Tensors host_inputs = each<values_of>(inputs);
        return landing(inner_->gather(host_outputs, host_inputs, options), outputs, host_outputs);
    }
    WorkPtr scatter(Tensors &outputs, std::vector<Tensors> &inputs,
                    const c10d::ScatterOptions &options) override
    {
        Tensors host_outputs = each<room_for>(outputs);
        std::vector<Tensors> host_inputs = each_list<values_of>(inputs);
        return landing(inner_->scatter(host_outputs, host_inputs, options), outputs, host_outputs);
    }
    WorkPtr reduce_scatter(Tensors &outputs, std::vector<Tensors> &inputs,
                           const c10d::ReduceScatterOptions &options) override
    {
        Tensors host_outputs = each<room_for>(outputs);
        std::vector<Tensors> host_inputs = each_list<values_of>(inputs);
        return waited_work(inner_->reduce_scatter(host_outputs, host_inputs, options),
                           pair_up(outputs, host_outputs), outputs);
    }

    /* ---- one tensor that holds the chunks of all ranks ------------------------------------ */
    WorkPtr _allgather_base(at::Tensor &output, at::Tensor &input,
                            const c10d::AllgatherOptions &options) override
    {
        at::Tensor host_output = room_for(output), host_input = values_of(input);
        return landing(inner_->_allgather_base(host_output, host_input, options), Tensors{output},
                       Tensors{host_output});
    }
    WorkPtr _reduce_scatter_base(at::Tensor &output, at::Tensor &input,
                                 const c10d::ReduceScatterOptions &options) override
    {
        at::Tensor host_output = room_for(output), host_input = values_of(input);
        return waited_work(inner_->_reduce_scatter_base(host_output, host_input, options),
                           {{output, host_output}}, {output});
    }
    WorkPtr allgather_into_tensor_coalesced(Tensors &outputs, Tensors &inputs,
                                            const c10d::AllgatherOptions &options) override
    {
        Tensors host_outputs = each<room_for>(outputs), host_inputs = each<values_of>(inputs);
        return landing(inner_->allgather_into_tensor_coalesced(host_outputs, host_inputs, options),
                       outputs, host_outputs);
    }
    WorkPtr reduce_scatter_tensor_coalesced(Tensors &outputs, Tensors &inputs,
                                            const c10d::ReduceScatterOptions &options) override
    {
        Tensors host_outputs = each<room_for>(outputs), host_inputs = each<values_of>(inputs);
        return waited_work(
            inner_->reduce_scatter_tensor_coalesced(host_outputs, host_inputs, options),
            pair_up(outputs, host_outputs), outputs);
    }
    WorkPtr alltoall_base(at::Tensor &output, at::Tensor &input,
                          std::vector<int64_t> &output_splits, std::vector<int64_t> &input_splits,
                          const c10d::AllToAllOptions &options) override
    {
        at::Tensor host_output = room_for(output), host_input = values_of(input);
        return landing(
            inner_->alltoall_base(host_output, host_input, output_splits, input_splits, options),
            Tensors{output}, Tensors{host_output});
    }

    /* ---- from rank to rank ----------------------------------------------------------------- */
    WorkPtr send(Tensors &tensors, int destination, int tag) override
    {
        Tensors host = each<values_of>(tensors);
        return point_to_point_work(inner_->send(host, destination, tag), {});
    }
    WorkPtr recv(Tensors &tensors, int source, int tag) override
    {
        Tensors host = each<room_for>(tensors);
        return point_to_point_work(inner_->recv(host, source, tag), pair_up(tensors, host));
    }
    WorkPtr recvAnysource(Tensors &tensors, int tag) override
    {
        Tensors host = each<room_for>(tensors);
        return point_to_point_work(inner_->recvAnysource(host, tag), pair_up(tensors, host));
    }
    WorkPtr barrier(const c10d::BarrierOptions &options) override
    {
        return collective_work(inner_->barrier(options), {}, {});
    }

    /* ---- the group ------------------------------------------------------------------------- */
    void setSequenceNumberForGroup() override
    {
        inner_->setSequenceNumberForGroup();
    }
    uint64_t getSequenceNumberForGroup() override
    {
        return inner_->getSequenceNumberForGroup();
    }
    void setTimeout(std::chrono::milliseconds timeout) override
    {
        inner_->setTimeout(timeout);
    }
    void abort() override
    {
        inner_->abort();
    }
    void shutdown() override
    {
        inner_->shutdown();
    }

  private:
    c10::intrusive_ptr<c10d::Backend> inner_;
};

} // namespace

c10::intrusive_ptr<c10d::Backend> collective_backend(c10::intrusive_ptr<c10d::Backend> inner)
{
    return c10::make_intrusive<CollectiveBackend>(std::move(inner));
}

} // namespace fakedev
