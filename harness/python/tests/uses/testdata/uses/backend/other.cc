// SPDX-License-Identifier: BSD-3-Clause
#include "device.h"

static int sizes(c10::Kind kind)
{
    static const c10::Kind table[] = {c10::Kind::Half, c10::Kind::Float, c10::Kind::Double, c10::Kind::Int};
    return kind == table[0];
}

c10::Index second(const c10::Allocator &)
{
    return static_cast<c10::Index>(sizes(c10::Kind::Int));
}
