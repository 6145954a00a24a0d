#pragma once
// Work on a device whose detail states its own FLOP and bytes, as XLA's operators do
// (core/work/StatedWork.h). Kept as the correlation of its span, which no launch has, so that a
// walk over spans knows it without reading a detail.

#include "core/model/Span.h"

#include <cstdint>

namespace trainscope {

inline constexpr std::int64_t kStatesWork = -1;

constexpr bool statesWork(const Span& span) {
    return span.kind == SpanKind::Kernel && span.correlation == kStatesWork;
}

} // namespace trainscope
