#include "core/analysis/energy/Plausible.h"

#include <fmt/format.h>

namespace trainscope::analysis {

bool isImplausibleMfu(const std::optional<double>& mfu) {
    return mfu && *mfu > 1.0;
}

std::string implausibleMfuText(const std::string& figures) {
    return fmt::format(
        "An MFU of {} is more than the GPUs can do: what is stated is not what ran. "
        "Likely the global batch, the sequence length or the model is smaller than "
        "stated, more GPUs took part than are counted, a part of a step is taken for "
        "all of it, or the precision is a faster one (fp8).",
        figures);
}

} // namespace trainscope::analysis
