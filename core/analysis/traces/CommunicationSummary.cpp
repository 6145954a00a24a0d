#include "core/analysis/traces/CommunicationSummary.h"

#include "core/analysis/machine/RunMachine.h"
#include "core/analysis/statistics/Distribution.h"
#include "core/catalogue/GpuModel.h"
#include "core/model/Try.h"

#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>

namespace trainscope::analysis {

namespace {

constexpr std::size_t kMostBandwidths = std::size_t{1} << 15U; // per row, exact up to half of it

using RowKey = std::tuple<CollectiveKind, std::string, LinkClass, int>;

// Sums over collectives with a size.
struct Bandwidths {
    double transferS = 0.0;
    double bytes = 0.0;
    double busBytes = 0.0; // bytes × bus factor
    Distribution algorithm{kMostBandwidths};
    Distribution bus{kMostBandwidths};

    void add(const Collective& one) {
        const auto bandwidth = one.algorithmBandwidth();
        if (!bandwidth || *one.bytes < 1.0)
            return;
        transferS += one.transfer.seconds();
        bytes += *one.bytes;
        busBytes += *one.bytes * busFactor(one.kind, one.ranksInGroup);
        algorithm.add(*bandwidth, 1);
        bus.add(*one.busBandwidth(), 1);
    }
};

struct CollectiveSums {
    CommunicationRow row;
    double bytes = 0.0;
    Bandwidths whole;
    Bandwidths partial;
};

// −1: no size.
int binOf(const std::optional<double>& bytes) {
    return bytes && *bytes >= 1.0 ? std::ilogb(*bytes) : -1;
}

class Summary {
public:
    Summary(const Run& run, const std::vector<Gpu>& gpus, const CommunicationOptions& options,
        RankClocks clocks)
        : m_places(run, gpus)
        , m_options(options) {
        m_result.clocks = std::move(clocks);
        m_result.onCommonClock = options.onCommonClock;
        if (const auto* model = catalogue::findGpuModel(run.gpuModel))
            m_scaleUpPeak = model->linkBandwidth;
        for (const RankClock& clock : m_result.clocks.ranks)
            m_ranks[clock.rank].rank = clock.rank;
    }

    [[nodiscard]] const RankClocks& clocks() const { return m_result.clocks; }

    void add(const Collective& one) {
        if (!m_options.window.contains(one.end))
            return;
        ++m_result.collectives;
        m_result.incomplete += one.isComplete ? 0 : 1;
        addToRow(one);
        if (one.kind == CollectiveKind::SendRecv)
            addMessage(one);
        else if (isSynchronising(one.kind))
            addToRanks(one);
    }

    CommunicationSummary finish(const CollectiveScan& scan) {
        for (const auto& [rank, count] : scan.unmatched) {
            m_ranks[rank].unmatched = count;
            m_result.unmatched += count;
        }
        for (const auto& [rank, count] : scan.alone)
            m_result.alone += count;
        for (auto& [key, sums] : m_rows)
            finishRow(sums);
        std::ranges::stable_sort(m_result.rows, std::greater<>(), &CommunicationRow::transferS);
        double most = 0.0;
        for (auto& [rank, sums] : m_ranks) {
            if (sums.collectives > 0)
                sums.latenessS /= static_cast<double>(sums.collectives);
            if (sums.causedWaitS > most) {
                most = sums.causedWaitS;
                m_result.straggler = rank;
            }
            m_result.ranks.push_back(sums);
        }
        return std::move(m_result);
    }

private:
    void addToRow(const Collective& one) {
        const CommunicatorPlace& place = m_places.placeOf(one);
        CollectiveSums& sums = m_rows[{one.kind, place.dimension, place.link, binOf(one.bytes)}];
        CommunicationRow& row = sums.row;
        row.kind = one.kind;
        row.dimension = place.dimension;
        row.link = place.link;
        row.ranks = std::max(row.ranks, one.ranksInGroup);
        ++row.count;
        row.partial += one.isPartial() ? 1 : 0;
        row.transferS += one.transfer.seconds();
        for (const CollectiveRank& rank : one.ranks)
            row.waitS += rank.wait.seconds();
        if (one.bytes && *one.bytes >= 1.0) {
            row.leastBytes = std::exp2(binOf(one.bytes));
            sums.bytes += *one.bytes;
        }
        (one.isPartial() ? sums.partial : sums.whole).add(one);
    }

    void addMessage(const Collective& one) {
        for (const CollectiveRank& rank : one.ranks) {
            RankCommunication& sums = m_ranks[rank.rank];
            ++sums.messages;
            sums.messageWaitS += rank.wait.seconds();
        }
    }

    void addToRanks(const Collective& one) {
        double caused = 0.0;
        TimeNs second = one.firstStart; // the last but one to start
        for (const CollectiveRank& rank : one.ranks) {
            RankCommunication& sums = m_ranks[rank.rank];
            ++sums.collectives;
            sums.waitS += rank.wait.seconds();
            sums.latenessS += (rank.start - one.firstStart).seconds();
            caused += rank.wait.seconds();
            if (rank.rank != one.lastRank)
                second = std::max(second, rank.start);
        }
        RankCommunication& last = m_ranks[one.lastRank];
        ++last.timesLast;
        last.causedWaitS += caused;
        const RankClock* const clock = m_result.clocks.find(one.lastRank);
        const double error = (clock == nullptr ? 0.0 : clock->uncertaintyNs)
            + m_result.clocks.largestUncertaintyNs;
        const auto lead = static_cast<double>((one.lastStart - second).ns);
        last.timesLastForCertain += lead > error ? 1 : 0;
    }

    void finishRow(CollectiveSums& sums) {
        CommunicationRow& row = sums.row;
        if (row.leastBytes)
            row.bytes = sums.bytes;
        const bool isWhole = sums.whole.transferS > 0.0;
        Bandwidths& told = isWhole ? sums.whole : sums.partial;
        if (told.transferS > 0.0) {
            row.algorithmBandwidth = told.bytes / told.transferS;
            row.busBandwidth = told.busBytes / told.transferS;
        }
        row.algorithmBandwidthMedian = told.algorithm.median();
        row.algorithmBandwidthP99 = told.algorithm.quantile(0.99);
        row.busBandwidthMedian = told.bus.median();
        row.busBandwidthP99 = told.bus.quantile(0.99);
        if (row.link == LinkClass::ScaleUp)
            row.linkPeak = m_scaleUpPeak;
        else if (row.link == LinkClass::ScaleOut)
            row.linkPeak = m_options.networkBandwidth;
        if (row.linkPeak && row.busBandwidth && isWhole)
            row.utilisation = *row.busBandwidth / *row.linkPeak;
        m_result.rows.push_back(row);
    }

    CommunicatorPlaces m_places;
    const CommunicationOptions& m_options;
    CommunicationSummary m_result;
    std::optional<double> m_scaleUpPeak;
    std::map<RowKey, CollectiveSums> m_rows;
    std::map<int, RankCommunication> m_ranks;
};

} // namespace

Result<CommunicationSummary> communicationOf(
    const RunStudy& study, const CommunicationOptions& options) {
    ASSIGN_OR_RETURN(auto clocks, alignRanks(study));
    ASSIGN_OR_RETURN(const auto joined, domainsAsNodes(study));
    Summary summary(joined.run, joined.gpus, options, std::move(clocks));
    ASSIGN_OR_RETURN(const auto scan,
        forEachCollective(
            study, summary.clocks(),
            [&summary](const Collective& one) {
                summary.add(one);
                return true;
            },
            options.onCommonClock, options.window));
    return summary.finish(scan);
}

} // namespace trainscope::analysis
