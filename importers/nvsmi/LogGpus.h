#pragma once
// Which GPU a row of a log is about: by what the row calls it, or, when no column says so, by its
// place among the rows. nvidia-smi prints one row per GPU, in order, every period, so rows come in
// bursts and the place in its burst is the GPU.

#include "core/model/Time.h"
#include "importers/nvsmi/Recorder.h"

#include <cstddef>
#include <map>
#include <span>
#include <string>
#include <string_view>

namespace trainscope::importers::nvsmi {

struct Rhythm {
    int gpus = 1; // rows of a burst
    DurationNs pause; // a longer step between rows starts the next burst
};

// From the stamps of the first rows. Falls back to one GPU where bursts are not regular. With
// stamps in whole seconds (`hasFraction` false) rows of equal stamp make a burst.
Rhythm findRhythm(std::span<const TimeNs> stamps, bool hasFraction);

// Deals rows out to GPUs.
class Rotation {
public:
    explicit Rotation(Rhythm rhythm)
        : m_rhythm(rhythm) { }
    // The GPU of the next row.
    int next(TimeNs stamp);

private:
    Rhythm m_rhythm;
    TimeNs m_last;
    int m_position = -1; // before the first row
};

// Where the ranks of one log file begin.
struct FileRanks {
    int firstRank = 0; // of the first GPU
    int firstNode = 0; // of this file
    int gpusPerNode = 0; // 0: one node only, ranks follow the index without bound
};

// The GPUs of a log as they turn up: from what the rows call them to rank, node and slot of the
// recorder.
class LogGpus {
public:
    LogGpus(Recorder& recorder, FileRanks ranks)
        : m_recorder(recorder)
        , m_ranks(ranks) { }

    struct Identity {
        std::string_view host;
        std::string_view id; // index or any text that stays with the GPU
        std::string_view model;
        std::string_view uuid;
    };
    // The slot of that GPU. Usage error: an index that has no place (message for the row's
    // warning).
    Result<std::size_t> slotOf(const Identity& identity);

private:
    Result<std::size_t> add(const Identity& identity);

    Recorder& m_recorder;
    FileRanks m_ranks;
    std::map<std::string, int, std::less<>> m_hosts; // → node
    std::map<int, int> m_unnumbered; // node → GPUs named without index
    std::map<std::string, std::size_t, std::less<>> m_slots; // by host and id
    std::string m_key; // of the last look-up; kept for its storage
};

} // namespace trainscope::importers::nvsmi
