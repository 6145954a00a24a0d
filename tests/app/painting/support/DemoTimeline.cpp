#include "app/painting/support/DemoTimeline.h"

#include "core/plot/timeline/support/PrepareLane.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string>

namespace trainscope::test {

using namespace trainscope::plot;

namespace {

constexpr double kSeconds = 60.0;
constexpr double kIteration = 7.2;
constexpr float kNothing = std::numeric_limits<float>::quiet_NaN();

struct KernelName {
    const char* text;
    const char* category;
};
constexpr std::array<KernelName, 5> kKernels{{
    {"ampere_bf16_s16816gemm_bf16_128x128_ldg8_f2f_stages_64x3_tn", "gemm"},
    {"void flash_fwd_kernel<Flash_fwd_kernel_traits<128, 64, 64>>(Flash_fwd_params)", "attention"},
    {"ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<4096ul>)", "all_reduce"},
    {"ncclDevKernel_SendRecv(ncclDevKernelArgsStorage<4096ul>)", "send_recv"},
    {"void at::native::vectorized_elementwise_kernel<4, at::native::AddFunctor>(int)",
        "elementwise"},
}};

double powerAt(double t, int rank, int run) {
    const double phase = std::fmod(t + 0.05 * rank / 8.0, kIteration * (run == 0 ? 1.0 : 0.8));
    if (phase > 6.0 * (run == 0 ? 1.0 : 0.8))
        return 140.0;
    return 560.0 + 130.0 * std::sin(2.0 * 3.14159265358979 * phase / 1.2) + 2.0 * (rank % 8);
}

double temperatureAt(double t, int rank) {
    return 48.0 + 4.0 * (rank % 8) + 8.0 * (1.0 - std::exp(-t / 20.0));
}

Bucket bucketOf(double low, double high) {
    const auto min = static_cast<float>(low);
    const auto max = static_cast<float>(high);
    return {min, max, min, max, 0.5F * (min + max), 3, false};
}

Bucket hole() {
    return {kNothing, kNothing, kNothing, kNothing, kNothing, 0, true};
}

template <typename Value>
std::vector<Bucket> bucketsOf(const DemoOptions& options, int rank, Value value) {
    std::vector<Bucket> buckets;
    for (int i = 0; i < options.columns; ++i) {
        const double t = kSeconds * i / options.columns;
        const double next = kSeconds * (i + 1) / options.columns;
        const bool stopped = t > 42.0 && t < 45.0;
        const bool failed = rank == 5 && t > 20.0 && t < 26.0;
        const double a = value(t);
        const double b = value(next);
        buckets.push_back(stopped || failed ? hole() : bucketOf(std::min(a, b), std::max(a, b)));
    }
    return buckets;
}

template <typename Value>
LaneData metricLane(const DemoOptions& options, LaneStyle style, const char* metric, Value value) {
    LaneData lane;
    lane.spec = {style, metric, std::nullopt, 120.0};
    std::int64_t id = 1;
    for (int run = 0; run < options.runs; ++run) {
        for (int rank = 0; rank < options.nodes * options.gpusPerNode; ++rank) {
            const int node = rank / options.gpusPerNode;
            lane.series.push_back(
                {static_cast<std::size_t>(run), {SubjectKind::Gpu, rank, node, {}}, node,
                    SeriesId{id++}, "rank " + std::to_string(rank),
                    bucketsOf(options, rank, [&](double t) { return value(t, rank, run); }), {}, {},
                    {}});
        }
    }
    prepareLane(lane, options.columns);
    return lane;
}

TimeNs at(double seconds) {
    return {1'700'000'000'000'000'000 + std::llround(seconds * 1e9)};
}

LaneSpans kernelsOf(int rank) {
    LaneSpans track{
        0, rank, TrackId{rank + 1}, "rank " + std::to_string(rank) + " · stream 7", 1, {}};
    double t = 0.4 * rank;
    for (int i = 0; t < kSeconds - 1.0; ++i) {
        if (std::fmod(t, kIteration) > 6.0) {
            t += 1.2;
            continue;
        }
        const double length = 0.12 + 0.3 * ((i * 7) % 5);
        const auto count = static_cast<std::uint32_t>(i % 3 == 0 ? 12 : 1);
        track.spans.push_back({{at(t), at(t + length)}, count, count > 1 ? 0.6F : 1.0F,
            NameId{i % static_cast<int>(kKernels.size()) + 1}, SpanKind::Kernel, 0});
        t += length + 0.02;
    }
    return track;
}

LaneSpans threadOf() {
    LaneSpans track{0, 0, TrackId{100}, "rank 0 · thread 4242 (python)", 3, {}};
    for (int i = 0; i < 8; ++i) {
        const double t = kIteration * i;
        track.spans.push_back({{at(t), at(t + 7.0)}, 1, 1.0F, NameId{6}, SpanKind::Annotation, 0});
        track.spans.push_back({{at(t + 0.2), at(t + 5.0)}, 1, 1.0F, NameId{7}, SpanKind::CpuOp, 1});
        track.spans.push_back(
            {{at(t + 0.4), at(t + 1.0)}, 1, 1.0F, NameId{8}, SpanKind::Runtime, 2});
    }
    return track;
}

void describe(LaneData& lane, const char* title, const char* subtitle, const char* unit,
    double scale, double low, double high) {
    lane.title = title;
    lane.subtitle = subtitle;
    lane.unit = unit;
    lane.displayScale = scale;
    lane.low = low;
    lane.high = high;
}

void addIterations(TimelineData& data, int run) {
    std::vector<Iteration> iterations;
    const double length = kIteration * (run == 0 ? 1.0 : 0.8);
    for (int i = 0; (i + 1) * length < kSeconds; ++i)
        iterations.push_back({i + 1, {at(i * length), at((i + 1) * length)}, -1, i == 0});
    data.iterations.push_back(std::move(iterations));
}

} // namespace

TimelineData demoTimeline(const DemoOptions& options) {
    TimelineData data;
    data.window = {{0}, {static_cast<std::int64_t>(kSeconds * 1e9)}};
    data.columns = options.columns;
    for (int run = 0; run < options.runs; ++run) {
        data.runs.push_back(
            {RunId{run + 1}, run == 0 ? "tp8-pp4 · 32 × H200" : "tp8-pp8 · 64 × H100", at(0.0),
                static_cast<std::size_t>(run)});
        addIterations(data, run);
    }
    auto power = metricLane(options, LaneStyle::Lines, "gpu_power", powerAt);
    describe(power, "GPU power", "W, 32 GPUs, coloured by node", "W", 1.0, 0.0, 800.0);
    auto heat = metricLane(options, LaneStyle::Heat, "gpu_temperature",
        [](double t, int rank, int) { return temperatureAt(t, rank); });
    describe(heat, "GPU temperature", "°C, 32 GPUs, one row each", "°C", 1.0, 45.0, 90.0);
    auto clock = metricLane(options, LaneStyle::Band, "sm_clock", [](double t, int rank, int run) {
        return 1.98e9 - (powerAt(t, rank, run) > 620.0 ? 4e6 * rank : 0.0);
    });
    describe(clock, "SM clock", "GHz, 32 GPUs, mean and range", "GHz", 1e-9, 1.8e9, 2.0e9);
    LaneData kernels;
    kernels.spec = {LaneStyle::Kernels, {}, std::nullopt, 140.0};
    describe(kernels, "Kernels", "4 ranks, 4 streams", "", 1.0, 0.0, 1.0);
    for (int rank = 0; rank < 4; ++rank)
        kernels.spans.push_back(kernelsOf(rank));
    LaneData threads;
    threads.spec = {LaneStyle::Thread, {}, 0, 80.0};
    describe(threads, "Host threads · rank 0", "1 thread", "", 1.0, 0.0, 1.0);
    threads.spans.push_back(threadOf());
    data.lanes = {power, heat, clock, kernels, threads};
    for (std::size_t i = 0; i < kKernels.size(); ++i)
        data.names.emplace(NameId{static_cast<std::int64_t>(i) + 1},
            TimelineData::Name{kKernels[i].text, kKernels[i].category});
    data.names.emplace(NameId{6}, TimelineData::Name{"ProfilerStep#3", ""});
    data.names.emplace(NameId{7}, TimelineData::Name{"aten::linear", ""});
    data.names.emplace(NameId{8}, TimelineData::Name{"cudaLaunchKernel", ""});
    return data;
}

} // namespace trainscope::test
