// Arguments of operators and tables of their work from any bytes: no crash, and what is known of
// work is neither negative nor endless.

#include "core/work/TracedWork.h"

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

using namespace trainscope::work;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string text(reinterpret_cast<const char*>(data), size);
    (void)WorkTable::fromJson(text);
    const auto signature = parseSignature(text);
    if (!signature)
        return 0;
    for (const auto* const name : {"aten::mm", "aten::addmm", "aten::linear", "aten::_grouped_mm",
             "aten::convolution", "aten::conv2d", "aten::convolution_backward",
             "aten::scaled_dot_product_attention", "aten::_flash_attention_backward",
             "aten::layer_norm", "aten::native_batch_norm_backward", "aten::_softmax",
             "aten::nll_loss_forward", "aten::index_select", "aten::embedding_dense_backward",
             "aten::where", "aten::copy_", "aten::fill_", "aten::cat", "aten::sum", "aten::max",
             "aten::scatter_add_", "aten::_fused_adamw_", "aten::_foreach_lerp_"}) {
        const auto found = workOf(name, *signature);
        if (found && !(found->flop >= 0.0 && found->bytes >= 0.0 && std::isfinite(found->bytes)))
            std::abort();
    }
    return 0;
}
