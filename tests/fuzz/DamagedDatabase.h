#pragma once
// Run databases that were damaged: a sound one, made once, with changes (Inputs.h).

#include "fuzz/Folder.h"
#include "fuzz/Inputs.h"

#include "core/store/KeptSums.h"
#include "core/store/RunLinks.h"
#include "core/store/RunNotes.h"
#include "core/store/Store.h"
#include "core/store/Writing.h"
#include "core/store/database/PageSums.h"

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include <fcntl.h>
#include <unistd.h>
#include <xxhash.h>

namespace trainscope::fuzz {

// A database file in the folder, written for each input over what the last one left.
class DatabaseFile {
public:
    explicit DatabaseFile(const char* name)
        : m_path(folder() / name)
        , m_file(::open(m_path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600)) {
        if (m_file < 0)
            std::abort();
    }
    DatabaseFile(const DatabaseFile&) = delete;
    DatabaseFile& operator=(const DatabaseFile&) = delete;
    ~DatabaseFile() { ::close(m_file); }

    [[nodiscard]] const std::filesystem::path& path() const { return m_path; }
    void write(std::string_view bytes) {
        for (const char* suffix : {"-wal", "-shm", "-journal"})
            ::unlink((m_path.native() + suffix).c_str()); // mostly not there
        const auto size = static_cast<ssize_t>(bytes.size());
        if (::pwrite(m_file, bytes.data(), bytes.size(), 0) != size
            || ::ftruncate(m_file, size) != 0)
            std::abort();
    }

private:
    std::filesystem::path m_path;
    int m_file;
};

inline void requireOk(const Status& status) {
    if (!status.hasValue())
        std::abort();
}

// Adds a row of each that people and other programs say of a run.
inline void describe(store::Store& store, RunId run) {
    const std::vector<std::string> tags{"baseline"};
    requireOk(store::setTags(store, run, tags));
    requireOk(store::setNote(store, run, "a note"));
    requireOk(store::saveComparison(store, "mine", R"({"runs":["run"]})"));
    requireOk(store::setEnteredLayout(store, run, R"({"tp":2})"));
    requireOk(store::setMachine(store, run, R"({"nodes":1})"));
    const std::vector<int> order{0};
    requireOk(store::setAirflow(store, run, order));
    const std::vector<store::KeptFigures> figures{{run, "1", {{"energy", 5.0, {}}}}};
    requireOk(store::keepFigures(store, figures));
    requireOk(store::keepSums(
        store, {run, 1, {1}, {{{0, 0, 0}, {{0, 0, {1, 2}, {3}}, {5, 5, {1, 2}, {3}}}}}}));
}

// A run whose samples are elsewhere.
inline void link(store::Store& store) {
    const std::string path = "http://host:9090#link";
    auto session = store::beginImport(store, {path, 0, "", "linked"});
    if (!session.hasValue())
        std::abort();
    Run run;
    run.name = "linked";
    const auto id = session.value()->run(run);
    SeriesDescription description;
    description.metric = {"gpu_power", "W", MetricKind::Gauge, "fuzz"};
    description.subject.rank = 0;
    const std::vector<SeriesDescription> series{description};
    requireOk(store::writeLink(
        store, path, {{}, id.value(), "http://host:9090", "{}"}, series, {{0}, {1'000}}));
    requireOk(session.value()->finish({}, "", 0, {}));
}

// A run with samples of two metrics, a track of spans, an iteration and what is said of it, and a
// linked one: opening and merging more takes longer and reaches little more.
inline void fill(store::Store& store) {
    const std::string name = "run";
    auto session = store::beginImport(store, {"/data/" + name, 1, "", name});
    if (!session.hasValue())
        std::abort();
    Run run;
    run.name = name;
    const auto id = session.value()->run(run);
    requireOk(session.value()->gpu(id.value(), {0, 0, 0, "NVIDIA H100", "GPU-1"}));
    requireOk(session.value()->iteration(id.value(), {3, {{0}, {50'000}}, 0, true}));
    for (const char* metric : {"gpu_power", "sm_clock"}) {
        SeriesDescription description;
        description.metric = {metric, "W", MetricKind::Gauge, "fuzz"};
        description.subject.rank = 0;
        const auto series = session.value()->series(id.value(), description);
        std::vector<TimeNs> times;
        std::vector<double> values;
        for (int i = 0; i < 200; ++i) {
            times.push_back({1'000'000'000LL * i + i % 7});
            values.push_back(300.0 + i % 13);
        }
        requireOk(session.value()->samples(series.value(), times, values));
    }
    TrackDescription description;
    description.kind = TrackKind::Stream;
    description.rank = 0;
    description.name = "stream 7";
    const auto track = session.value()->track(id.value(), description);
    const auto kernel = session.value()->intern("kernel");
    std::vector<Span> spans(100);
    for (std::size_t i = 0; i < spans.size(); ++i) {
        spans[i].name = kernel.value();
        spans[i].start = {static_cast<std::int64_t>(i) * 1000};
        spans[i].duration = {700};
    }
    requireOk(session.value()->spans(track.value(), spans));
    requireOk(session.value()->finish({}, "", 0, {}));
    session.value().reset();
    describe(store, id.value());
    link(store);
}

// The bytes of a new sound database.
inline std::string makeDatabase() {
    const auto path = folder() / "sound.trainscope";
    std::filesystem::remove(path);
    {
        auto store = store::Store::openOrCreate(path);
        if (!store.hasValue())
            std::abort();
        fill(store.value());
    }
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

// The one that is damaged.
inline const std::string& soundDatabase() {
    static const std::string bytes = makeDatabase();
    return bytes;
}

// Checksums of changed pages: those of what they held before, or right ones again, as a file has
// that somebody made on purpose: by their sums alone, most damage is found and read no further.
enum class Sums { Old, Right };

// The sum of a page as core/store/database/PageSums.h has it.
inline void sumAgain(std::string& bytes, std::size_t page) {
    constexpr std::size_t kSummed = store::kPageSize - store::kSumSize;
    const std::size_t at = page * store::kPageSize;
    if (at + store::kPageSize > bytes.size())
        return;
    std::uint64_t sum = XXH3_64bits(bytes.data() + at, kSummed) + at;
    for (std::size_t i = kSummed; i < store::kPageSize; ++i, sum >>= 8U)
        bytes[at + i] = static_cast<char>(sum);
}

// The sound database with changes, which are taken from the input.
inline const std::string& damaged(Input& changes, Sums sums, std::size_t most = kMostChanges) {
    static std::string bytes;
    bytes = soundDatabase();
    for (std::size_t i = 0; i < most; ++i) {
        const auto change = takeChange(changes, bytes.size());
        if (!change)
            break;
        overwrite(bytes, *change);
        if (sums == Sums::Old || change->bytes.empty())
            continue;
        for (const std::size_t end : {change->place, change->place + change->bytes.size() - 1})
            sumAgain(bytes, end / store::kPageSize);
    }
    return bytes;
}

} // namespace trainscope::fuzz
