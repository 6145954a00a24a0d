#pragma once
// Run databases that were damaged: a sound one, made once, with changes of a few bytes, which go
// further than files of any bytes, that SQLite refuses by their first page.

#include "core/store/Store.h"
#include "core/store/Writing.h"

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <span>
#include <string>
#include <vector>

#include <unistd.h>

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

inline void writeFile(const std::filesystem::path& path, std::string_view bytes) {
    for (const char* suffix : {"-wal", "-shm", "-journal"}) {
        std::error_code ignored; // mostly not there
        std::filesystem::remove(path.string() + suffix, ignored);
    }
    std::ofstream(path, std::ios::binary) << bytes;
}

inline void requireOk(const Status& status) {
    if (!status.hasValue())
        std::abort();
}

// Two runs with samples of two metrics, a track with nested spans, iterations, tags and a note.
inline void fill(store::Store& store) {
    for (int part = 0; part < 2; ++part) {
        const std::string name = "run " + std::to_string(part);
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
            for (int i = 0; i < 600; ++i) {
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
        std::vector<Span> spans(300);
        for (std::size_t i = 0; i < spans.size(); ++i) {
            spans[i].name = kernel.value();
            spans[i].start = {static_cast<std::int64_t>(i) * 1000};
            spans[i].duration = {700};
        }
        requireOk(session.value()->spans(track.value(), spans));
        requireOk(session.value()->finish({}, "", 0, {}));
    }
}

// The bytes of a sound database.
inline const std::string& soundDatabase() {
    static const std::string bytes = [] {
        const auto path = folder() / "sound.trainscope";
        {
            auto store = store::Store::openOrCreate(path);
            if (!store.hasValue())
                std::abort();
            fill(store.value());
        }
        std::ifstream file(path, std::ios::binary);
        return std::string(std::istreambuf_iterator<char>(file), {});
    }();
    return bytes;
}

// Changes of the form: place (3 bytes, of the file's size), number of bytes (1, up to 15), bytes.
inline std::string damaged(std::span<const std::uint8_t>& changes, std::size_t most = 64) {
    std::string bytes = soundDatabase();
    for (std::size_t i = 0; i < most && changes.size() > 4; ++i) {
        const std::size_t place
            = (std::size_t{changes[0]} << 16U | std::size_t{changes[1]} << 8U | changes[2])
            % bytes.size();
        const std::size_t count = std::min<std::size_t>(
            {static_cast<std::size_t>(changes[3] % 16), changes.size() - 4, bytes.size() - place});
        bytes.replace(place, count, reinterpret_cast<const char*>(changes.data()) + 4, count);
        changes = changes.subspan(4 + count);
    }
    return bytes;
}

} // namespace trainscope::fuzz
