#pragma once
// The kernels of a transformer layer under tensor parallelism, in order, with the share of the
// layer's time that each has.

#include <array>
#include <string_view>

namespace trainscope::app::sample {

enum class Stream { Compute, TensorParallel, Pipeline };

// One kernel of a transformer layer and its share of the layer's time.
struct LayerKernel {
    std::string_view name;
    Stream stream;
    double share;
};
constexpr std::array<LayerKernel, 11> kForwardLayer{{
    {"layer_norm_fwd_kernel<bf16, 12288>", Stream::Compute, 0.02},
    {"sm90_xmma_gemm_bf16bf16_bf16f32_f32_tn_n_tilesize128x256x64_qkv", Stream::Compute, 0.17},
    {"flash_fwd_kernel<bf16, 128, causal>", Stream::Compute, 0.09},
    {"sm90_xmma_gemm_bf16bf16_bf16f32_f32_tn_n_tilesize128x256x64_proj", Stream::Compute, 0.07},
    {"ncclDevKernel_AllReduce_Sum_bf16_RING_LL", Stream::TensorParallel, 0.08},
    {"bias_dropout_add_elementwise_kernel<bf16>", Stream::Compute, 0.02},
    {"layer_norm_fwd_kernel<bf16, 12288>", Stream::Compute, 0.02},
    {"sm90_xmma_gemm_bf16bf16_bf16f32_f32_tn_n_tilesize128x256x64_fc1", Stream::Compute, 0.22},
    {"gelu_elementwise_kernel<bf16>", Stream::Compute, 0.02},
    {"sm90_xmma_gemm_bf16bf16_bf16f32_f32_tn_n_tilesize128x256x64_fc2", Stream::Compute, 0.20},
    {"ncclDevKernel_AllReduce_Sum_bf16_RING_LL", Stream::TensorParallel, 0.09},
}};
constexpr std::array<LayerKernel, 11> kBackwardLayer{{
    {"ncclDevKernel_AllReduce_Sum_bf16_RING_LL", Stream::TensorParallel, 0.06},
    {"sm90_xmma_gemm_bf16bf16_bf16f32_f32_nn_n_tilesize128x256x64_fc2_dgrad", Stream::Compute,
        0.16},
    {"sm90_xmma_gemm_bf16bf16_bf16f32_f32_nt_n_tilesize128x256x64_fc2_wgrad", Stream::Compute,
        0.16},
    {"gelu_backward_elementwise_kernel<bf16>", Stream::Compute, 0.02},
    {"sm90_xmma_gemm_bf16bf16_bf16f32_f32_nn_n_tilesize128x256x64_fc1_dgrad", Stream::Compute,
        0.15},
    {"sm90_xmma_gemm_bf16bf16_bf16f32_f32_nt_n_tilesize128x256x64_fc1_wgrad", Stream::Compute,
        0.15},
    {"layer_norm_bwd_kernel<bf16, 12288>", Stream::Compute, 0.02},
    {"flash_bwd_kernel<bf16, 128, causal>", Stream::Compute, 0.11},
    {"sm90_xmma_gemm_bf16bf16_bf16f32_f32_nn_n_tilesize128x256x64_qkv_dgrad", Stream::Compute,
        0.08},
    {"ncclDevKernel_AllReduce_Sum_bf16_RING_LL", Stream::TensorParallel, 0.06},
    {"layer_norm_bwd_kernel<bf16, 12288>", Stream::Compute, 0.03},
}};

constexpr std::string_view kSendRecvKernel = "ncclDevKernel_SendRecv";
constexpr std::string_view kNormKernel = "ncclDevKernel_AllReduce_Sum_f32_RING_LL";
constexpr std::string_view kAdamKernel = "multi_tensor_apply_kernel<AdamFunctor>";

} // namespace trainscope::app::sample
