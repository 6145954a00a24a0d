#pragma once
// Run databases that were damaged: a sound one, made once, with changes of a few bytes, which go
// further than files of any bytes, that SQLite refuses by their first page.

#include "core/store/Store.h"
#include "core/store/Writing.h"
#include "core/store/database/PageSums.h"

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <span>
#include <string>
#include <vector>

#include <fcntl.h>
#include <unistd.h>
#include <xxhash.h>

namespace trainscope::fuzz {

// In memory where there is such a place; gone with the process.
class Folder {
public:
    Folder() {
        std::string name = std::filesystem::exists("/dev/shm") ? "/dev/shm/trainscope-fuzz-XXXXXX"
                                                               : "/tmp/trainscope-fuzz-XXXXXX";
        if (::mkdtemp(name.data()) == nullptr)
            std::abort();
        m_path = name;
    }
    Folder(const Folder&) = delete;
    Folder& operator=(const Folder&) = delete;
    ~Folder() {
        std::error_code ignored; // what stays lies in memory
        std::filesystem::remove_all(m_path, ignored);
    }
    [[nodiscard]] const std::filesystem::path& path() const { return m_path; }

private:
    std::filesystem::path m_path;
};

inline const std::filesystem::path& folder() {
    static const Folder made;
    return made.path();
}

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

// A run with samples of two metrics and a track of spans: opening and merging more takes longer and
// reaches little more.
inline void fill(store::Store& store) {
    const std::string name = "run";
    auto session = store::beginImport(store, {"/data/" + name, 1, "", name});
    if (!session.hasValue())
        std::abort();
    Run run;
    run.name = name;
    const auto id = session.value()->run(run);
    requireOk(session.value()->gpu(id.value(), {0, 0, 0, "NVIDIA H100", "GPU-1"}));
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

// Whether pages that were changed have the sums of what they held before, or right ones again, as a
// file has that somebody made on purpose: by their sums alone, most damage is found and read no
// further.
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

// Changes of the form: place (3 bytes, of the file's size), number of bytes (1, up to 15), bytes.
inline const std::string& damaged(
    std::span<const std::uint8_t>& changes, Sums sums, std::size_t most = 64) {
    static std::string bytes;
    bytes = soundDatabase();
    for (std::size_t i = 0; i < most && changes.size() > 4; ++i) {
        const std::size_t place
            = (std::size_t{changes[0]} << 16U | std::size_t{changes[1]} << 8U | changes[2])
            % bytes.size();
        const std::size_t count = std::min<std::size_t>(
            {static_cast<std::size_t>(changes[3] % 16), changes.size() - 4, bytes.size() - place});
        bytes.replace(place, count, reinterpret_cast<const char*>(changes.data()) + 4, count);
        changes = changes.subspan(4 + count);
        if (sums == Sums::Old || count == 0)
            continue;
        for (const std::size_t end : {place, place + count - 1})
            sumAgain(bytes, end / store::kPageSize);
    }
    return bytes;
}

} // namespace trainscope::fuzz
