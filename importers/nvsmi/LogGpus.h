#pragma once
// Finds the GPU of a log's row by the row's own words, or, when no column names it, by its place
// among the rows. nvidia-smi prints one row per GPU, in order, every period, so rows come in bursts
// and the place in its burst is the GPU. meters/MeterNodes.h numbers nodes once all are known; the
// rows of these logs are written as they come, so that a node has its number with its first row.

#include "core/model/Time.h"
#include "importers/nvsmi/Recorder.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace trainscope::importers::nvsmi {

struct Rhythm {
    int gpus = 1; // rows in a burst
    DurationNs pause; // a longer step between rows starts the next burst
    bool isUneven = false; // rows come in bursts of several lengths: `gpus` is 1 for want of better
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
    // Bursts with too few or too many rows, of which some went to a wrong GPU.
    [[nodiscard]] std::int64_t unevenBursts() const { return m_unevenBursts; }

private:
    Rhythm m_rhythm;
    TimeNs m_last;
    int m_position = -1; // before the first row
    std::int64_t m_unevenBursts = 0;
};

// First rank and node of one log file.
struct FileRanks {
    int firstRank = 0; // of the first GPU
    int firstNode = 0; // of this file
    int gpusPerNode = 0; // 0: one node as far as is known, ranks follow the index without bound
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
    // The slot of that GPU. Usage error: one GPU too many (message for the row's warning).
    Result<std::size_t> slotOf(const Identity& identity);
    // The slot of a whole node.
    std::size_t slotOfNode(std::string_view host);
    // Nodes that turned up so far.
    [[nodiscard]] int nodes() const { return static_cast<int>(m_hosts.size()); }

private:
    Result<std::size_t> add(const Identity& identity);
    int nodeOf(std::string_view host);
    [[nodiscard]] int rankOf(int node, int local) const;

    Recorder& m_recorder;
    FileRanks m_ranks;
    std::map<std::string, int, std::less<>> m_hosts; // → node
    int m_localEnd = 0; // one above the highest index so far
    std::map<int, int> m_unnumbered; // node → GPUs named without index
    std::map<std::pair<int, int>, std::size_t> m_places; // node and index → slot
    std::map<std::string, std::size_t, std::less<>> m_slots; // by host and id
    std::map<int, std::size_t> m_nodeSlots;
    std::string m_key; // of the last look-up; kept for its storage
};

} // namespace trainscope::importers::nvsmi
