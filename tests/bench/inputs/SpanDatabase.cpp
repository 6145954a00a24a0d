#include "bench/inputs/SpanDatabase.h"

#include "bench/inputs/Cache.h"
#include "bench/inputs/Must.h"
#include "core/store/Store.h"
#include "core/store/Writing.h"

#include <random>
#include <string>
#include <vector>

namespace trainscope::bench {

namespace {

constexpr std::int64_t kSpanBlock = 4096;
constexpr int kKernelNames = 2000;

class Kernels {
public:
    explicit Kernels(store::ImportSession& session)
        : m_needle(must(session.intern("needle_kernel"))) {
        for (int i = 0; i < kKernelNames; ++i)
            m_names.push_back(must(session.intern("void kernel_" + std::to_string(i) + "<float>")));
    }

    Span next(bool isNeedle) {
        const std::uint64_t random = m_random();
        Span span;
        span.start = m_at;
        span.duration = {2000 + static_cast<std::int64_t>(random % 20'000)};
        span.name = isNeedle ? m_needle : m_names[(random >> 40U) % m_names.size()];
        span.kind = SpanKind::Kernel;
        span.correlation = ++m_correlation;
        const auto gap = static_cast<std::int64_t>((random >> 20U) % 3000);
        const bool isPause = (random >> 32U) % 4096 == 0;
        m_at = span.start + span.duration + DurationNs{gap + (isPause ? 2'000'000 : 0)};
        return span;
    }

private:
    NameId m_needle;
    std::vector<NameId> m_names;
    std::mt19937_64 m_random{42};
    TimeNs m_at{1'735'689'600'000'000'000};
    std::int64_t m_correlation = 0;
};

void write(const std::filesystem::path& path, std::int64_t count) {
    auto store = must(store::Store::openOrCreate(path));
    auto session = must(store::beginImport(store, {"generated", 1, {}, "spans"}));
    Run run;
    run.name = "spans";
    const RunId id = must(session->run(run));
    TrackDescription description;
    description.kind = TrackKind::Stream;
    description.rank = 0;
    description.device = 0;
    description.name = "stream 7";
    const TrackId track = must(session->track(id, description));
    Kernels kernels(*session);
    std::vector<Span> spans;
    for (std::int64_t i = 0; i < count; ++i) {
        spans.push_back(kernels.next(i == count / 3 || i == count / 2));
        if (std::cmp_equal(spans.size(), kSpanBlock) || i + 1 == count) {
            must(session->spans(track, spans));
            spans.clear();
        }
    }
    ImportReport report;
    report.importer = "bench 1";
    must(session->finish(report, "generated", 1, {}));
}

} // namespace

std::filesystem::path spanDatabase(std::int64_t spans) {
    return cached(databaseName("spans_" + std::to_string(spans)),
        [spans](const std::filesystem::path& path) { write(path, spans); });
}

} // namespace trainscope::bench
