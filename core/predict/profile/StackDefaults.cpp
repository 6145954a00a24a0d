#include "core/predict/profile/StackDefaults.h"

namespace trainscope::predict {

StackTerms usualStackTerms(std::string_view gpu) {
    // GPT-NeoX keeps attention's dropout also at p = 0: scores in and out and a mask of bytes, 5 B,
    // and one more copy, 4 B.
    StackTerms terms{
        .scoresExtraBytes = 9.0, .origin = "GPT-NeoX: dropout at p = 0 and a copy of the scores"};
    if (gpu.starts_with("GH200")) {
        // Layers took so much longer than their operators, steps so much longer than their layers.
        terms.gapSeconds = 0.75e-3;
        terms.jitter = 0.018;
        terms.origin += "; gap and jitter of GPT-NeoX on Vista (arXiv 2509.22832, its layers, "
                        "stages and steps)";
    }
    return terms;
}

} // namespace trainscope::predict
