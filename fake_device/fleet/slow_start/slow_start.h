/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Declarations that the two files of the backend share. slow_start is two devices whose runtime takes
 * its time to come up; the waiting itself is in torch_slow_start.py.
 */
#ifndef SLOW_START_H
#define SLOW_START_H

#include "fleet_headers.h"

namespace slow_start
{

constexpr c10::DeviceIndex kCount = 2;

/* The device that is current now, for as long as the switch lives. Throws for one there is not. */
class Switched
{
  public:
    explicit Switched(c10::Device device);
    ~Switched();
    Switched(const Switched &) = delete;
    Switched &operator=(const Switched &) = delete;

  private:
    c10::DeviceIndex before_;
};

} // namespace slow_start

#endif
