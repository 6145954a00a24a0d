#include "bench/inputs/JobDatabase.h"

#include "bench/inputs/Cache.h"
#include "bench/inputs/Must.h"
#include "core/store/Store.h"
#include "core/store/Writing.h"

#include <algorithm>
#include <array>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace trainscope::bench {

namespace {

constexpr int kRanks = 8;
constexpr int kSteps = 4;
constexpr int kLateRank = 3;
constexpr int kKernelsInRound = 100; // in a round, which ends with a collective
constexpr std::int64_t kSpansOfRound = 3 * kKernelsInRound + 4;
constexpr std::int64_t kUs = 1'000;
constexpr auto kGroup = R"({"Collective name":"allreduce","In msg nelems":4194304,)"
                        R"("Out msg nelems":4194304,"Group size":8,"dtype":"BFloat16",)"
                        R"("Process Group Name":"0",)"
                        R"("Process Group Ranks":"[0, 1, 2, 3, 4, 5, 6, 7]"})";

// The track's spans in order of their start.
struct Tape {
    TrackId track;
    std::vector<Span> spans;
};

struct Rank {
    Tape host;
    Tape compute;
    Tape communication;
    std::int64_t now = 1'735'689'600'000'000'000; // the host's
    std::int64_t computed = now; // end of the last kernel
    std::int64_t reduced = now; // the same of the last collective
    std::int64_t correlation = 0;
};

class Job {
public:
    Job(store::ImportSession& session, RunId run)
        : m_session(session)
        , m_ranks(kRanks) {
        constexpr std::array texts{"aten::mm", "cudaLaunchKernel", "cudaEventRecord",
            "cudaStreamWaitEvent", "cudaDeviceSynchronize", "ProfilerStep",
            "ncclDevKernel_AllReduce_Sum_bf16_RING_LL", kGroup};
        for (std::size_t i = 0; i < texts.size(); ++i)
            m_names[i] = must(session.intern(texts[i]));
        for (int i = 0; i < 6; ++i)
            m_kernels.push_back(must(session.intern("void gemm_" + std::to_string(i) + "<float>")));
        for (int rank = 0; rank < kRanks; ++rank) {
            Rank& own = m_ranks[static_cast<std::size_t>(rank)];
            own.host.track = track(run, TrackKind::Thread, rank, "1");
            own.compute.track = track(run, TrackKind::Stream, rank, "7");
            own.communication.track = track(run, TrackKind::Stream, rank, "20");
        }
    }

    void step(std::int64_t rounds, std::int64_t index, RunId run) {
        std::vector<std::int64_t> begins;
        for (Rank& rank : m_ranks) {
            begins.push_back(rank.now);
            rank.host.spans.push_back({{rank.now}, {}, m_names[5], SpanKind::Annotation, 0, {}});
        }
        for (std::int64_t i = 0; i < rounds; ++i)
            round();
        for (std::size_t i = 0; i < m_ranks.size(); ++i) {
            Rank& rank = m_ranks[i];
            const std::int64_t done = std::max({rank.now, rank.computed, rank.reduced}) + 3 * kUs;
            call(rank, 4, done - rank.now, 0);
            rank.host.spans.front().duration = {rank.now - begins[i]};
            must(m_session.iteration(
                run, {index, {{begins[i]}, {rank.now}}, static_cast<int>(i), false}));
            for (Tape* tape : {&rank.host, &rank.compute, &rank.communication}) {
                must(m_session.spans(tape->track, tape->spans));
                tape->spans.clear();
            }
        }
    }

private:
    TrackId track(RunId run, TrackKind kind, int rank, const std::string& thread) {
        TrackDescription description;
        description.kind = kind;
        description.rank = rank;
        description.device = kind == TrackKind::Stream ? rank : -1;
        description.thread = thread;
        description.name = thread;
        return must(m_session.track(run, description));
    }

    // Its begin; the host goes on half a microsecond behind its end.
    std::int64_t call(Rank& rank, std::size_t name, std::int64_t length, std::int64_t correlation) {
        const std::int64_t begin = rank.now;
        rank.host.spans.push_back(
            {{begin}, {length}, m_names[name], SpanKind::Runtime, correlation, {}});
        rank.now = begin + length + kUs / 2;
        return begin;
    }

    void round() {
        std::int64_t last = 0;
        for (std::size_t i = 0; i < m_ranks.size(); ++i) {
            Rank& rank = m_ranks[i];
            for (int k = 0; k < kKernelsInRound; ++k)
                kernel(rank, i == kLateRank ? 7 * kUs : 5 * kUs);
            call(rank, 2, kUs, 0);
            call(rank, 3, kUs, 0);
            const std::int64_t launched = call(rank, 1, 2 * kUs, ++rank.correlation);
            rank.reduced = std::max({launched + 4 * kUs, rank.computed + kUs, rank.reduced + kUs});
            last = std::max(last, rank.reduced);
        }
        for (Rank& rank : m_ranks) {
            const std::int64_t begin = std::exchange(rank.reduced, last + 200 * kUs);
            rank.communication.spans.push_back({{begin}, {rank.reduced - begin}, m_names[6],
                SpanKind::Kernel, rank.correlation, m_names[7]});
        }
    }

    void kernel(Rank& rank, std::int64_t length) {
        const auto random = static_cast<std::int64_t>(m_random() % 2'000);
        rank.host.spans.push_back(
            {{rank.now}, {4 * kUs + random}, m_names[0], SpanKind::CpuOp, 0, {}});
        rank.now += kUs;
        const std::int64_t launched = call(rank, 1, 2 * kUs, ++rank.correlation);
        rank.now += kUs + random;
        const std::int64_t begin = std::max(launched + 4 * kUs, rank.computed + kUs);
        rank.computed = begin + length + random;
        rank.compute.spans.push_back({{begin}, {length + random},
            m_kernels[static_cast<std::size_t>(rank.correlation) % m_kernels.size()],
            SpanKind::Kernel, rank.correlation, {}});
    }

    store::ImportSession& m_session;
    std::array<NameId, 8> m_names;
    std::vector<NameId> m_kernels;
    std::vector<Rank> m_ranks;
    std::mt19937_64 m_random{42};
};

void writeJob(const std::filesystem::path& path, std::int64_t spans) {
    auto store = must(store::Store::openOrCreate(path));
    auto session = must(store::beginImport(store, {"generated", 1, {}, "job"}));
    Run run;
    run.name = "job";
    const RunId id = must(session->run(run));
    Job job(*session, id);
    for (int k = 0; k < kSteps; ++k)
        job.step(std::max<std::int64_t>(1, spans / kSteps / kSpansOfRound), k, id);
    ImportReport report;
    report.importer = "bench 1";
    must(session->finish(report, "generated", 1, {}));
}

} // namespace

std::filesystem::path jobDatabase(std::int64_t spans) {
    return cached(databaseName("job_" + std::to_string(spans)),
        [spans](const std::filesystem::path& path) { writeJob(path, spans); });
}

} // namespace trainscope::bench
