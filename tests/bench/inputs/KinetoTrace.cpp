#include "bench/inputs/KinetoTrace.h"

#include "bench/inputs/Cache.h"

#include <array>
#include <cstdio>
#include <fstream>
#include <string>

namespace trainscope::bench {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t kPiece = std::size_t{1} << 20U;
constexpr std::array<const char*, 6> kNames{
    "sm90_xmma_gemm_bf16bf16_bf16f32_f32_tn_n_tilesize128x128x64",
    "void flash_fwd_kernel<Flash_fwd_kernel_traits<128, 128, 64, 4, false>>(Flash_fwd_params)",
    "ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevComm*, unsigned long, ncclWork*)",
    "void at::native::vectorized_elementwise_kernel<4, at::native::AddFunctor<float>>(int)",
    "void cunn_LayerNormForward<float, float, float>(int, float)",
    "ncclDevKernel_ReduceScatter_Sum_bf16_RING_LL(ncclDevComm*, unsigned long, ncclWork*)"};

constexpr const char* kEvents
    = "{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"aten::mm\",\"pid\":4242,\"tid\":4242,"
      "\"ts\":%.3f,\"dur\":9.5,\"args\":{\"External id\":%lld,\"Ev Idx\":%lld}},\n"
      "{\"ph\":\"X\",\"cat\":\"cuda_runtime\",\"name\":\"cudaLaunchKernel\",\"pid\":4242,"
      "\"tid\":4242,\"ts\":%.3f,\"dur\":4.2,"
      "\"args\":{\"External id\":%lld,\"cbid\":211,\"correlation\":%lld}},\n"
      "{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"%s\",\"pid\":0,\"tid\":%d,"
      "\"ts\":%.3f,\"dur\":%.3f,"
      "\"args\":{\"External id\":%lld,\"queued\":0,\"device\":0,\"context\":1,\"stream\":%d,"
      "\"correlation\":%lld,\"registers per thread\":168,\"shared memory\":213248,"
      "\"blocks per SM\":1.0,\"warps per SM\":12.0,\"grid\":[132,1,1],\"block\":[384,1,1],"
      "\"est. achieved occupancy %%\":19}}";

void writeKernel(std::string& text, long long i) {
    const double time = 1000.0 + 11.0 * static_cast<double>(i);
    const int stream = i % 3 == 2 ? 20 : 7; // collectives on their own
    std::array<char, 1024> buffer{};
    const int length = std::snprintf(buffer.data(), buffer.size(), kEvents, time, i, 3 * i,
        time + 2.0, i, i, kNames[static_cast<std::size_t>(i % 6)], stream, time + 12.0,
        5.0 + 0.125 * static_cast<double>(i % 40), i, stream, i);
    text.append(buffer.data(), static_cast<std::size_t>(length));
}

void writeTrace(const fs::path& path, std::int64_t kernels) {
    std::ofstream out(path, std::ios::binary);
    std::string text = "{\"schemaVersion\":1,\"distributedInfo\":{\"backend\":\"nccl\","
                       "\"rank\":0,\"world_size\":8},"
                       "\"baseTimeNanoseconds\":1735689600000000000,\"traceEvents\":[\n";
    for (std::int64_t i = 0; i < kernels; ++i) {
        writeKernel(text, i);
        text += i + 1 < kernels ? ",\n" : "\n";
        if (text.size() > kPiece) {
            out << text;
            text.clear();
        }
    }
    out << text << "]}\n";
}

} // namespace

fs::path kinetoTrace(std::int64_t kernels) {
    return cached("trace_" + std::to_string(kernels) + ".json",
        [kernels](const fs::path& path) { writeTrace(path, kernels); });
}

} // namespace trainscope::bench
