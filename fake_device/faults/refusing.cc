/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See refusing.h.
 */
#include "refusing.h"

#include "switchboard.h"

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <set>
#include <string>

namespace fakedev
{

namespace
{

/* Delays the first call of each method, like a backend that initialises itself at that call. No
 * event shortens the wait. */
void be_late_once(const char *method)
{
    static std::mutex lock;
    static std::set<std::string> *const seen = new std::set<std::string>;
    std::unique_lock<std::mutex> held(lock);
    if (seen->insert(method).second)
        std::condition_variable().wait_for(held, std::chrono::milliseconds(300));
}

} // namespace

bool refused(const char *method) noexcept
{
    if (armed("methods.late"))
        be_late_once(method);
    return armed(method);
}

} // namespace fakedev
