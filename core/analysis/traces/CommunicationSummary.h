#pragma once
// Summary of a run's collectives: bytes moved, bandwidth, and the waits that each rank had and
// caused. SI; absent where the data does not tell it. Memory does not grow with the trace. Beside
// it the collectives of PyTorch's flight recorder that did not come to an end, because the ranks of
// their process group were not all there, or called something else under the same number.

#include "core/analysis/traces/Collectives.h"
#include "core/analysis/traces/CommunicatorPlaces.h"

namespace trainscope::analysis {

inline constexpr std::string_view kFlightProcess = "flight recorder"; // process name of its tracks

struct UnreachedCollective {
    std::string collective; // "all_reduce"
    std::string group; // name of the process group
    std::string description; // "mesh_tp"; may be empty
    std::int64_t sequence = 0; // number of the collective in its group
    std::vector<int> waiting; // ranks that are in it
    std::vector<int> missing; // ranks whose dump ends before it
    std::vector<int> unknown; // without a dump
    std::vector<int> different; // in another collective, or of other sizes, under its number
    TimeRange range; // waiting time

    bool operator==(const UnreachedCollective&) const = default;
};

// The first of each process group, by group. Two groups of one name are two where their lists of
// ranks differ. Ranks of a group are those that the dumps name; of a group that none names, those
// that took part in it. A collective that all ranks have reached is under way and none of these.
Result<std::vector<UnreachedCollective>> unreachedCollectives(const RunStudy& study);

// Collectives of one kind along one dimension over one class of links, of one class of sizes.
struct CommunicationRow {
    CollectiveKind kind = CollectiveKind::Other;
    std::string dimension; // CommunicatorPlaces::dimensionOf()
    LinkClass link = LinkClass::Unknown;
    std::optional<double> leastBytes; // powers of two: leastBytes ≤ size < 2 × leastBytes
    int ranks = 0; // in the communicator, the most of them
    std::int64_t count = 0; // collectives
    std::int64_t partial = 0; // collectives without some rank of the communicator
    std::optional<double> bytes; // sum of their sizes
    double transferS = 0.0; // sum, from the last start to its end
    double waitS = 0.0; // sum over collectives and ranks
    // bytes / transfer of those with a size, B/s. Whole ones count; partial ones only where there
    // are no others: their transfer holds what is waited for whom nobody saw, and the bandwidth is
    // a lower bound.
    std::optional<double> algorithmBandwidth;
    std::optional<double> algorithmBandwidthMedian;
    std::optional<double> algorithmBandwidthP99; // 99 % are slower or as fast
    std::optional<double> busBandwidth; // the same × busFactor()
    std::optional<double> busBandwidthMedian;
    std::optional<double> busBandwidthP99;
    std::optional<double> linkPeak; // B/s per direction
    // busBandwidth / linkPeak: of the link while it is busy; not of partial ones.
    std::optional<double> utilisation;
};

// Waits that a rank had and caused, in synchronising collectives and in messages.
struct RankCommunication {
    int rank = 0;
    std::int64_t collectives = 0; // synchronising ones that it was matched in
    std::int64_t timesLast = 0; // synchronising ones that it started last in
    std::int64_t timesLastForCertain = 0; // by more than the uncertainty of the clocks
    double waitS = 0.0; // for the last rank, in these
    double latenessS = 0.0; // mean over these: its start − the first rank's start
    double causedWaitS = 0.0; // wait of the others, where it started last
    std::int64_t messages = 0;
    double messageWaitS = 0.0;
    std::int64_t unmatched = 0; // calls whose other parts were not found
};

struct CommunicationSummary {
    RankClocks clocks;
    bool onCommonClock = true;
    std::vector<CommunicationRow> rows; // by transfer time, most first
    std::vector<RankCommunication> ranks; // by rank
    std::int64_t collectives = 0; // matched
    std::int64_t incomplete = 0; // matched ones without some recorded rank's part
    std::int64_t unmatched = 0; // calls whose other parts should be there and are not
    std::int64_t alone = 0; // calls of whose communicator only one rank was recorded
    std::optional<int> straggler; // kept the others waiting longest
};

struct CommunicationOptions {
    bool onCommonClock = true; // false: waits by each rank's own clock
    std::optional<double> networkBandwidth; // one GPU, per direction, B/s: peak of scale-out links
    TimeRange window = kAllTime; // collectives and calls that end in it (common clock)
};

// The peak of scale-up links is that of the run's GPU model (core/catalogue). Cancelled by
// progress.
Result<CommunicationSummary> communicationOf(
    const RunStudy& study, const CommunicationOptions& options = {});

} // namespace trainscope::analysis
