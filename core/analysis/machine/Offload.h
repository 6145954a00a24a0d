#pragma once
// Offload: what a job keeps in the host's memory instead of its GPUs'. Plain values; any thread.

#include "core/model/Result.h"

#include <string>
#include <string_view>

namespace trainscope::analysis {

struct Offload {
    int layers = 0; // per stage: activations moved to the host until they are needed
    double optimizer = 0.0; // share of the optimizer's numbers that the host keeps and does

    [[nodiscard]] bool isNone() const { return layers == 0 && optimizer == 0.0; }
    bool operator==(const Offload&) const = default;
};
// "optimizer:0.5,activations:20", empty for none; and the same from text. Usage names the part that
// cannot be read.
std::string textOf(const Offload& offload);
Result<Offload> offloadFrom(std::string_view text);

} // namespace trainscope::analysis
